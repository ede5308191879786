"""Certificates that are rounded less: exact scores, finer sums, and never a gap that is too small."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import thresher as th
from thresher.sharpness import exact_scores, finer_image, sharpened


def badly_scaled(storage: str = "dense") -> th.Problem:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)) * 10.0 ** rng.integers(-3, 7, size=6) + 1e5
    y = X @ rng.normal(size=6) + rng.normal(size=300)
    held = {"dense": X, "csr": sparse.csr_array(X), "float32": X.astype(np.float32)}[storage]
    return th.Problem.lad(held, y, intercept="penalised")


def exactly(values: np.ndarray) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


@pytest.mark.parametrize("storage", ["dense", "csr", "float32"])
def test_scores_and_image_agree_with_fractions(storage: str) -> None:
    problem = badly_scaled(storage)
    point = th.solve_path(problem, [0.1])[0].point
    rows = problem.rows.extract(np.arange(problem.samples))
    dense = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
    dense = np.column_stack([dense, np.ones(problem.samples)])
    scores, errors = exact_scores(problem, point)
    scale, w = Fraction(float(problem.scale[0])), exactly(point.w)
    for k, row in enumerate(point.kinks):
        product = sum((x * v for x, v in zip(exactly(dense[row]), w, strict=True)), Fraction(0))
        true = scale * product + Fraction(float(problem.offsets[row]))
        assert abs(true - Fraction(float(scores[k]))) <= Fraction(float(errors[k]))
    u, error = finer_image(problem, point)
    theta = exactly(point.theta_of(problem))
    for j in range(len(w)):
        total = sum((t * x for t, x in zip(theta, exactly(dense[:, j]), strict=True)), Fraction(0))
        assert abs(-Fraction(point.C) * scale * total - Fraction(float(u[j]))) <= Fraction(error)


def test_gap_that_rounding_would_hide_is_proven() -> None:
    problem = badly_scaled()
    point = th.solve_path(problem, [1.0], tol=1e-14)[0].point
    sharp = sharpened(problem, point)
    assert sharp.gap_bound < 0.1 * point.gap_bound
    below = np.sqrt(sharp.gap_bound * point.gap_bound)
    assert th.solve_path(problem, [1.0], tol=below)[0].status.met


def test_a_gap_that_is_there_stays() -> None:
    problem = badly_scaled()
    point = th.solve_path(problem, [1.0], solver=th.solvers.Descent(max_epochs=3), tol=1e-3)[0].point
    sharp = sharpened(problem, point)
    assert sharp.gap == pytest.approx(point.gap, rel=1e-6)
    assert sharp.gap_bound >= sharp.gap


def test_a_free_intercept_is_left_as_it_is() -> None:
    problem = th.Problem.lad([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0], intercept="free")
    point = th.solve_path(problem, [1.0])[0].point
    assert sharpened(problem, point) is point
