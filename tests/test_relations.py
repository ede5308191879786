"""The same model by two ways: rules on and off, rows permuted, doubled, scaled, flipped."""

import numpy as np
import pytest

import thresher as th
from support import data
from support.models import MODELS, parts
from support.paths import GRID, assert_same, models, solve


@pytest.mark.parametrize(
    ("name", "rule"),
    [(name, rule) for name in MODELS for rule in ("dvi", "dvi*")] + [("hinge", "ssnsv"), ("hinge", "essnsv")],
)
def test_rule_changes_nothing(name: str, rule: str) -> None:
    problem = MODELS[name].build(*MODELS[name].data())
    without = solve(problem, rule="none")
    path = solve(problem, rule=rule)
    assert_same(without, path)
    solved = np.array([status is th.Status.CONVERGED for status in path.status])
    assert not without.screened[solved].any()
    assert 0 < path.screened[solved].sum(axis=1).mean() < 1


@models
def test_order_of_rows_is_irrelevant(name: str) -> None:
    X, y = MODELS[name].data()
    order = np.random.default_rng(0).permutation(len(y))
    one, other = MODELS[name].build(X, y), MODELS[name].build(X[order], y[order])
    assert_same(solve(one), solve(other))


@models
def test_twice_is_weight_two(name: str) -> None:
    X, y = MODELS[name].data()
    twice = np.arange(len(y)) % 3 == 0
    doubled = MODELS[name].build(np.vstack([X, X[twice]]), np.r_[y, y[twice]])
    weighted = MODELS[name].build(X, y, sample_weight=1.0 + twice)
    assert_same(solve(doubled), solve(weighted))


@models
def test_weight_zero_is_absence(name: str) -> None:
    X, y = MODELS[name].data()
    kept = np.arange(len(y)) % 4 != 0
    weighted = MODELS[name].build(X, y, sample_weight=kept.astype(float))
    assert_same(solve(MODELS[name].build(X[kept], y[kept])), solve(weighted))


@models
def test_scaling(name: str) -> None:
    """X to tX with C to C/t^2 gives w/t and the same scores."""
    X, y = MODELS[name].data()
    one = solve(MODELS[name].build(X, y))
    other = solve(MODELS[name].build(4 * X, y), GRID / 16)
    assert_same(one, other, factor=1 / 4)


def test_flipped_labels_flip_the_model() -> None:
    X, y = data.classes()
    one, other = solve(th.Problem.svm(X, y)), solve(th.Problem.svm(X, -y))
    assert_same(one, other, factor=-1.0)


@pytest.mark.parametrize("pair", [(0, 1), (5, 7), ("no", "yes"), (False, True)])
def test_any_two_labels(pair: tuple[object, object]) -> None:
    X, y = data.classes()
    labels = np.where(y > 0, pair[1], pair[0])
    assert_same(solve(th.Problem.svm(X, y)), solve(th.Problem.svm(X, labels)))


def test_half_pinball_is_half_absolute() -> None:
    X, y = data.regression()
    absolute = solve(th.Problem.lad(X, y), GRID / 2)
    assert_same(absolute, solve(th.Problem.quantile(X, y, quantile=0.5), GRID))


def test_negated_target_mirrors_the_quantile() -> None:
    X, y = data.regression()
    one = solve(th.Problem.quantile(X, y, quantile=0.3))
    other = solve(th.Problem.quantile(X, -y, quantile=0.7))
    assert_same(one, other, factor=-1.0)


def test_insensitive_of_width_zero_is_absolute() -> None:
    X, y = data.regression()
    assert_same(solve(th.Problem.lad(X, y)), solve(th.Problem.svr(X, y, epsilon=0.0)))


def test_general_family_contains_the_named() -> None:
    X, y = data.classes()
    given = parts("hinge", X, y)
    general = th.Problem(X, given.offsets, given.lower, given.upper, scale=-y)
    assert_same(solve(th.Problem.svm(X, y)), solve(general))
