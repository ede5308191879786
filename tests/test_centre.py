"""Free intercepts that are not unique: the middle, whichever way the solution was come by."""

import numpy as np
import pytest

import thresher as th
from support import data, free
from support.models import MODELS, parts
from support.paths import models
from support.sklearns import libsvm_svc
from thresher.centre import centred

TOL = 1e-10


def cases(name: str) -> list[tuple[th.Solution, tuple]]:
    """Solutions at C so small that all theta may sit at bounds; the even number of rows lets them."""
    found = []
    for seed in range(8):
        X, y = MODELS[name].data(20, 2, seed)
        y = np.where(np.argsort(np.argsort(y)) < 10, -1.0, 1.0) if name == "hinge" else y
        problem = MODELS[name].build(X, y, intercept="free")
        grid = (1e-3, 1e-2, 0.1)
        found += [(th.solve_path(problem, [C], tol=TOL)[0], (X, y, C)) for C in grid]
    return found


@models
def test_the_middle_of_all_optimal_intercepts(name: str) -> None:
    moved = held = 0
    for solution, (X, y, C) in cases(name):
        given, scale = parts(name, X, y), free.scale_of(name, y)
        middle = centred(solution, TOL)
        best = free.primal(given, scale, C, solution.coef, solution.intercept)

        def worse(b: float) -> bool:
            return free.primal(given, scale, C, solution.coef, b) > best * (1 + 1e-9)  # noqa: B023

        np.testing.assert_array_equal(middle.coef, solution.coef)
        assert not worse(middle.intercept)
        assert middle.gap_bound <= TOL
        span = [abs(_edge(worse, middle.intercept, sign) - middle.intercept) for sign in (-1.0, 1.0)]
        if max(span) > 1e-5:
            np.testing.assert_allclose(*span, rtol=1e-3)
            moved += 1
        else:
            assert middle.intercept == pytest.approx(solution.intercept, abs=1e-5)
            held += 1
    assert moved > 2
    assert held > 2


def _edge(worse: object, b: float, sign: float) -> float:
    """How far the intercept can go before the objective grows."""
    near, far = b, b + 100.0 * sign
    for _ in range(100):
        middle = 0.5 * (near + far)
        near, far = (near, middle) if worse(middle) else (middle, far)
    return near


def test_libsvm_takes_the_middle_too() -> None:
    X, y = data.classes(100, 3)
    y = np.where(np.argsort(np.argsort(X[:, 0] + 0.5 * X[:, 1])) < 50, -1.0, 1.0)
    for C in (1e-4, 1e-3, 1e-2):
        theirs, ours = libsvm_svc(C).fit(X, y), th.LinearSVC(C=C).fit(X, y)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


def test_other_kinds_of_intercept_are_left_alone() -> None:
    X, y = data.classes(50, 2)
    for kind in ("none", "penalised"):
        solution = th.svm_path(X, y, [0.1], intercept=kind)[0]
        assert centred(solution, 1e-6) is solution
