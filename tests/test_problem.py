"""The formulas of a problem are those of docs/maths.md, recomputed here in plain NumPy."""

import numpy as np
import pytest

import thresher as th
from support import oracle
from support.models import MODELS, parts
from support.paths import models, weights_of
from support.planted import plant

C = 0.7


@pytest.mark.parametrize("intercept", ["none", "penalised"])
@pytest.mark.parametrize("weighted", [False, True])
@models
def test_values_at_any_pair(name: str, weighted: bool, intercept: str) -> None:
    X, y = MODELS[name].data()
    weight = weights_of(y) if weighted else None
    given = parts(name, X, y, weight, intercept)
    problem = MODELS[name].build(X, y, sample_weight=weight, intercept=intercept)
    rng = np.random.default_rng(0)
    w = rng.normal(size=problem.dimension)
    theta = given.lower + rng.random(problem.size) * (given.upper - given.lower)
    gap = oracle.gap(*given, C, w, theta)
    assert problem.primal(w, C) == pytest.approx(oracle.primal(*given, C, w), rel=1e-12)
    assert problem.dual(theta, C) == pytest.approx(oracle.dual(given.Z, given.offsets, C, theta))
    assert problem.gap(w, theta, C) == pytest.approx(gap, rel=1e-12)
    assert problem.certify(w, theta, C).gap == pytest.approx(gap, rel=1e-12)
    assert gap == pytest.approx(problem.primal(w, C) - problem.dual(theta, C), rel=1e-10)


@models
def test_residuals(name: str) -> None:
    X, y = MODELS[name].data()
    given, problem = parts(name, X, y), MODELS[name].build(X, y)
    w, theta = np.ones(problem.dimension), np.full(problem.size, 1.5)
    scores = given.Z @ w + given.offsets
    found = problem.residuals(w, theta, C)
    distance = np.linalg.norm(w - oracle.image(given.Z, C, theta))
    terms = np.maximum(given.lower * scores, given.upper * scores) - theta * scores
    assert found.stationarity == pytest.approx(distance)
    assert found.complementarity == pytest.approx(terms.max())
    assert found.box == pytest.approx((theta - given.upper).max())


def test_residuals_vanish_at_a_planted_optimum() -> None:
    case = plant(np.random.default_rng(0), shape="tall", variant="crowded_kink")
    problem = th.Problem(case.Z, case.offsets, case.lower, case.upper)
    found = problem.residuals(case.w, case.theta, case.C)
    assert max(found.stationarity, found.complementarity, found.box) <= 1e-14


def test_gap_does_not_cancel() -> None:
    """P and D agree to 16 digits here, and their difference is still known to three."""
    case = plant(np.random.default_rng(1), shape="tall", variant="plain", C=2.0**13)
    problem = th.Problem(case.Z, case.offsets, case.lower, case.upper)
    w = case.w + 1e-7
    scores = case.Z @ w + case.offsets
    slack = np.where(scores > 0, case.upper - case.theta, case.lower - case.theta) * scores
    expected = 0.5 * np.sum((w - case.w) ** 2) + case.C * slack.sum()
    assert problem.gap(case.w, case.theta, case.C) == 0.0
    assert problem.gap(w, case.theta, case.C) == pytest.approx(expected, rel=1e-3)
    assert expected < 1e-9 * problem.primal(w, case.C)


def test_named_losses() -> None:
    assert th.losses.hinge == th.losses.Loss(0.0, 1.0)
    assert th.losses.absolute == th.losses.Loss(-1.0, 1.0)
    assert th.losses.pinball(0.25) == th.losses.Loss(-0.75, 0.25)
    assert th.losses.insensitive(0.5).epsilon == 0.5


@pytest.mark.parametrize("slopes", [(0.5, 1.0), (-1.0, -0.5), (0.0, 0.0), (np.nan, 1.0)])
def test_slopes_must_enclose_zero(slopes: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="slopes"):
        th.losses.Loss(*slopes)


@pytest.mark.parametrize("name", ["hinge", "absolute", "pinball"])
def test_one_row_a_sample(name: str) -> None:
    X, y = MODELS[name].data()
    assert MODELS[name].build(X, y).size == len(y)


def test_two_rows_a_sample_in_the_tube() -> None:
    X, y = MODELS["insensitive"].data()
    problem = MODELS["insensitive"].build(X, y)
    assert problem.size == 2 * len(y) == 2 * problem.samples
    np.testing.assert_array_equal(problem.dense_rows(), np.vstack([-X, X]))
