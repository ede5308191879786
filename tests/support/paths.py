"""Solving and comparing paths, as several test modules do it."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import thresher as th
from support import oracle
from support.models import MODELS, Parts

Array = NDArray[np.float64]

TOL = 1e-9  # relative gap asked of the path
AGREEMENT = 1e-8  # relative difference of primal values from the oracle's
TOLERANCES = {"newton": TOL, "conjugate": TOL, "descent": 1e-6}
GRID = np.geomspace(1e-3, 3.0, 6)
# Coordinate descent is not asked for C = 3: there its gap stands near 1e-5 for thousands of epochs.
GRIDS = {"newton": GRID, "conjugate": GRID, "descent": GRID[:-1]}
SOLVERS = list(GRIDS)

models = pytest.mark.parametrize("name", list(MODELS))
solvers = pytest.mark.parametrize("solver", SOLVERS)


def long_indices(X: Array) -> sparse.csr_matrix:
    matrix = sparse.csr_matrix(X)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


STORAGES: dict[str, Callable[[Array], object]] = {
    "dense": np.ascontiguousarray,
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_matrix,
    "csr_int64": long_indices,
}


def solve(problem: th.Problem, C: object = GRID, **options: object) -> th.Path:
    return th.solve_path(problem, C, **{"tol": TOL, **options})


def weights_of(y: Array) -> Array:
    return np.random.default_rng(5).integers(1, 9, len(y)) / 4


def by_definition(given: Parts, solution: th.Solution) -> tuple[float, float]:
    """Primal value and relative gap of a solution, from its w and theta alone."""
    w, theta, C = solution.w, solution.theta, solution.C
    assert np.all((given.lower <= theta) & (theta <= given.upper))
    primal = oracle.primal(*given, C, w)
    return primal, oracle.gap(*given, C, w, theta) / max(primal, np.finfo(np.float64).tiny)


def assert_optimal(given: Parts, path: th.Path, best: list[float]) -> None:
    """Every point is proven, the proof holds when made again, and the oracle agrees."""
    for k, solution in enumerate(path):
        primal, gap = by_definition(given, solution)
        assert gap <= 1.001 * path.tol + 1e-13
        assert solution.status.met
        assert path.gap[k] == pytest.approx(gap, rel=1e-3, abs=1e-12)
        assert path.primal[k] == pytest.approx(primal, rel=1e-11)
        assert path.dual[k] <= best[k] * (1 + AGREEMENT)
        assert path.primal[k] == pytest.approx(best[k], rel=path.tol + AGREEMENT)


def assert_same(one: th.Path, other: th.Path, tol: float = TOL, factor: float = 1.0) -> None:
    """Equal as far as two gaps of `tol` allow: P = 1/2 |w|^2 + ... is strongly convex."""
    np.testing.assert_allclose(other.primal, factor**2 * one.primal, rtol=2 * tol)
    distance = np.linalg.norm(other.coef - factor * one.coef, axis=1)
    allowed = 2 * np.sqrt(2 * tol * np.maximum(other.primal, factor**2 * one.primal))
    assert np.all(distance <= allowed)
    assert np.linalg.norm(one.coef) > 0
