"""Smoothing by BLAS and LAPACK does what the compiled loops do."""

import numpy as np
import pytest

import thresher as th
from thresher.solvers import Newton, newton
from thresher.solvers.working import Working

GRID = np.geomspace(1e-3, 1.0, 5)


@pytest.mark.parametrize("loss", ["hinge", "absolute", "pinball"])
@pytest.mark.parametrize("intercept", ["none", "free"])
def test_same_path_as_the_compiled_loops(loss: str, intercept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 80))
    X[::7] = X[0]  # rows that bend and straighten together
    y = X @ rng.normal(size=80) + 3.0 * rng.normal(size=600)
    weights = rng.uniform(0.0, 2.0, size=600)
    make = {"hinge": th.Problem.svm, "absolute": th.Problem.lad, "pinball": th.Problem.quantile}[loss]
    targets = np.sign(y) if loss == "hinge" else y
    problem = make(X, targets, sample_weight=weights, intercept=intercept)
    calls = []
    approach = newton.blocks.approach
    monkeypatch.setattr(newton.blocks, "approach", lambda *given: calls.append(1) or approach(*given))
    compiled = th.solve_path(problem, GRID, solver=Newton(), tol=1e-9)
    assert not calls
    monkeypatch.setattr(newton, "BLOCK_DIMENSIONS", 65)
    monkeypatch.setattr(Working, "is_small", False)
    blocked = th.solve_path(problem, GRID, solver=Newton(), tol=1e-9)
    assert calls
    assert all(solution.status.met for solution in blocked)
    np.testing.assert_allclose(blocked.primal, compiled.primal, rtol=3e-9)
