"""Reduced data has the optimum of the full data, for solvers that know nothing of thresher."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import SVC, SVR, LinearSVC

import thresher as th
from support import data, free, oracle
from support.descent import descend
from support.models import EPSILON, MODELS, QUANTILE, Parts, parts
from support.paths import STORAGES, models, weights_of
from thresher.reduction import merged

Array = NDArray[np.float64]

C_RANGE = (0.02, 0.2)
INTERCEPTS = ["none", "penalised", "free"]
OPTIONS = {"pinball": {"quantile": QUANTILE}, "insensitive": {"epsilon": EPSILON}}

intercepts = pytest.mark.parametrize("intercept", INTERCEPTS)
weighted = pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])


def reduced(name: str, X: object, y: Array, C: object, **options: object) -> th.Reduction:
    return th.reduce(X, y, C, name, **OPTIONS.get(name, {}), **options)


def optimum(name: str, X: Array, y: Array, weight: Array, intercept: str, C: float) -> Array:
    """The oracle's w, its intercept last where there is one."""
    given = parts(name, X, y, weight, intercept)
    if intercept == "free":
        w, b, _ = free.optimum(given, free.scale_of(name, y), C)
        return np.r_[w, b]
    return oracle.clarabel_solution(*given, C)[0]


def value(name: str, X: Array, y: Array, weight: Array, intercept: str, C: float, w: Array) -> float:
    given: Parts = parts(name, X, y, weight, intercept)
    if intercept == "free":
        return free.primal(given, free.scale_of(name, y), C, w[:-1], float(w[-1]))
    return oracle.primal(*given, C, w)


def assert_same_optimum(small: th.Reduction, full: tuple, intercept: str, C: float) -> None:
    """The oracle's optimum of the reduced data is optimal for the full data, and the other way round."""
    name = full[0]
    rows = small.X.toarray() if sparse.issparse(small.X) else small.X
    little = (name, rows, small.y.astype(np.float64), small.sample_weight)
    ours, theirs = (optimum(*problem, intercept, C) for problem in (little, full))
    best = value(*full, intercept, C, theirs)
    assert value(*full, intercept, C, ours) <= best * (1 + 1e-8)
    assert value(*little, intercept, C, theirs) == pytest.approx(best, rel=1e-8)
    np.testing.assert_allclose(ours, theirs, atol=2e-5)


@cache
def case(name: str) -> tuple[Array, Array]:
    return MODELS[name].data(150, 3)


@pytest.mark.parametrize("storage", ["dense", "csr"])
@weighted
@intercepts
@models
def test_optimum_at_one_C(name: str, intercept: str, weights: bool, storage: str) -> None:
    X, y = case(name)
    weight = weights_of(y) if weights else np.ones(len(y))
    small = reduced(name, STORAGES[storage](X), y, 0.1, sample_weight=weight, intercept=intercept)
    assert 0 < small.kept.size < len(small.y) < 0.5 * len(y)
    assert_same_optimum(small, (name, X, y, weight), intercept, 0.1)


@weighted
@intercepts
@models
def test_optimum_over_an_interval(name: str, intercept: str, weights: bool) -> None:
    X, y = case(name)
    weight = weights_of(y) if weights else np.ones(len(y))
    small = reduced(name, X, y, C_RANGE, sample_weight=weight, intercept=intercept)
    assert small.C == C_RANGE
    assert 0 < small.kept.size < len(small.y) < 0.8 * len(y)
    for C in (*C_RANGE, 0.11, 0.047):
        assert_same_optimum(small, (name, X, y, weight), intercept, C)
    # A proof for one C is no proof for others: the fates there differ.
    narrow, C = reduced(name, X, y, C_RANGE[0], sample_weight=weight, intercept=intercept), C_RANGE[1]
    w = optimum(name, X, y, weight, intercept, C)
    elsewhere = value(name, narrow.X, narrow.y, narrow.sample_weight, intercept, C, w)
    assert elsewhere < value(name, X, y, weight, intercept, C, w) * (1 - 1e-6)


@models
def test_row_of_says_where_every_row_went(name: str) -> None:
    X, y = case(name)
    weight = weights_of(y) * (np.arange(len(y)) % 5 > 0)
    small = reduced(name, X, y, 0.1, sample_weight=weight)
    assert np.all(small.row_of[weight == 0] == -1)
    np.testing.assert_array_equal(small.row_of[small.kept], np.arange(small.kept.size))
    np.testing.assert_array_equal(small.X[: small.kept.size], X[small.kept])
    for row in range(len(small.y)):
        stands_for = small.row_of == row
        assert small.sample_weight[row] == pytest.approx(weight[stands_for].sum(), rel=1e-14)
        mean = np.average(X[stands_for], axis=0, weights=weight[stands_for])
        np.testing.assert_allclose(small.X[row], mean, atol=1e-14)
        target = np.average(y[stands_for], weights=weight[stands_for])
        assert small.y[row] == pytest.approx(target, rel=1e-13)
    assert small.share == len(small.y) / len(y)
    assert name not in ("hinge", "insensitive") or (small.row_of[weight > 0] == -1).any()


def test_rows_of_both_classes_in_one_would_be_wrong() -> None:
    """What the rule about classes is for."""
    X, y = data.classes(300, 3)
    X += 2.0
    small = th.reduce(X, y, 0.1, intercept="free")
    upper = np.arange(len(small.y)) >= small.kept.size
    assert upper.sum() == 2
    total = small.sample_weight[upper].sum()
    both = (small.sample_weight[upper] * small.y[upper]) @ small.X[upper] / total
    X_wrong = np.vstack([small.X[~upper], both])
    y_wrong, weight = np.r_[small.y[~upper], 1.0], np.r_[small.sample_weight[~upper], total]
    right = optimum("hinge", X, y, np.ones(len(y)), "free", 0.1)
    wrong = optimum("hinge", X_wrong, y_wrong, weight, "free", 0.1)
    assert np.abs(right - wrong).max() > 0.1


# --- other people's solvers


@weighted
def test_liblinear_finds_the_full_model(weights: bool) -> None:
    X, y = data.classes(400, 4)
    weight = weights_of(y) if weights else np.ones(len(y))
    small = th.reduce(X, y, 0.5, sample_weight=weight, intercept="penalised")
    assert small.share < 0.2
    model = LinearSVC(loss="hinge", C=0.5, tol=1e-10, max_iter=2_000_000, random_state=0)
    full = model.fit(X, y, sample_weight=weight).coef_.copy()
    np.testing.assert_allclose(model.fit(small.X, small.y, small.sample_weight).coef_, full, atol=1e-6)


@weighted
@pytest.mark.parametrize("name", ["hinge", "insensitive"])
def test_libsvm_finds_the_full_model(name: str, weights: bool) -> None:
    X, y = MODELS[name].data(300, 4)
    weight = weights_of(y) if weights else np.ones(len(y))
    small = reduced(name, X, y, (0.2, 0.4), sample_weight=weight, intercept="free")
    assert small.share < 0.5
    for C in (0.2, 0.3, 0.4):
        model = SVC(kernel="linear") if name == "hinge" else SVR(kernel="linear", epsilon=EPSILON)
        model.set_params(C=C, tol=1e-10)
        full = model.fit(X, y, sample_weight=weight)
        coef, intercept = full.coef_.copy(), full.intercept_.copy()
        model.fit(small.X, small.y, sample_weight=small.sample_weight)
        np.testing.assert_allclose(model.coef_, coef, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, intercept, atol=1e-5)


# --- approximate certificates


def trials(name: str, intercept: str, region: Callable[[th.Certificate, float], th.Ball]) -> Array:
    """Counts over pairs of any quality: rows merged or left out, rows kept, optima that moved."""
    merges = stays = moved = 0
    for rng in np.random.default_rng(0).spawn(60):
        X, y = MODELS[name].data(int(rng.integers(20, 60)), int(rng.integers(1, 5)), int(rng.integers(1000)))
        weight = rng.integers(1, 9, len(y)) / 4
        problem = MODELS[name].build(X, y, sample_weight=weight, intercept=intercept)
        C = float(10.0 ** rng.uniform(-3, 0.5))
        elsewhere = C * float(np.exp(rng.normal() * rng.choice([0.01, 0.1, 0.5])))
        certificate = problem.certify(
            *crude_pair(rng, problem, parts(name, X, y, weight), elsewhere), elsewhere
        )
        small = merged(problem, y, weight, problem.screen(region(certificate, C)).fates, (C, C))
        little = MODELS[name].build(small.X, small.y, sample_weight=small.sample_weight, intercept=intercept)
        full, again = (th.solve_path(one, [C], tol=1e-12)[0] for one in (problem, little))
        moved += not np.allclose(again.coef, full.coef, rtol=0, atol=1e-6)
        merges, stays = merges + len(y) - len(small.y), stays + small.kept.size
    return np.array([merges, stays, moved])


@intercepts
@models
def test_crude_certificates_merge_nothing_wrong(name: str, intercept: str) -> None:
    merges, stays, moved = trials(name, intercept, lambda certificate, C: certificate.ball(C))
    assert merges > 100
    assert stays > 100
    assert moved == 0


@models
def test_the_same_trials_convict_pairs_taken_for_exact(name: str) -> None:
    """The ball of the paper, which is for exact solutions, around pairs that are not."""

    def unsafe(certificate: th.Certificate, C: float) -> th.Ball:
        ratio, w = C / certificate.C, certificate.w
        return th.Ball(0.5 * (1.0 + ratio) * w, 0.5 * abs(ratio - 1.0) * float(np.linalg.norm(w)))

    assert trials(name, "none", unsafe)[2] > 0


def crude_pair(rng: np.random.Generator, problem: th.Problem, given: Parts, C: float) -> tuple[Array, Array]:
    """A pair of any quality: few epochs, or an optimum and noise."""
    if rng.random() < 0.3:
        w, theta = descend(*given, C, int(rng.choice([1, 10, 300])))
        w = np.r_[w, np.zeros(problem.dimension - w.size)]
    else:
        solution = th.solve_path(problem, [C])[0]
        noise = 10.0 ** rng.uniform(-9, -2)
        w = solution.w + noise * rng.normal(size=problem.dimension)
        theta = solution.theta + noise * rng.normal(size=problem.size)
    return w, np.clip(theta, problem.lower, problem.upper)


def test_a_loose_tolerance_keeps_more_rows_and_the_optimum() -> None:
    X, y = data.classes(400, 4)
    tight, loose = (th.reduce(X, y, 0.5, tol=tol, solver="descent") for tol in (1e-6, 1e-3))
    assert tight.share < loose.share < 1.0
    assert_same_optimum(loose, ("hinge", X, y, np.ones(len(y))), "none", 0.5)


# --- formats


@pytest.mark.parametrize("storage", list(STORAGES))
def test_format_and_dtype_are_kept(storage: str) -> None:
    X, y = data.classes(200, 4)
    stored = STORAGES[storage](X)
    small = th.reduce(stored, y, 0.1)
    assert small.X.dtype == stored.dtype
    assert type(small.X) is type(stored)
    assert len(small.y) > small.kept.size


def test_frames_strings_and_sparse_arrays() -> None:
    X, y = data.classes(200, 4)
    labels = np.where(y > 0, "spam", "ham").astype(object)
    one, other = th.reduce(pandas.DataFrame(X), pandas.Series(labels), 0.1), th.reduce(X, y, 0.1)
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.y, np.where(other.y > 0, "spam", "ham"))
    assert one.y.dtype == labels.dtype
    assert isinstance(th.reduce(sparse.csr_array(X), y, 0.1).X, sparse.csr_array)


# --- little left


def test_a_class_without_loss_keeps_one_row() -> None:
    """Solvers want both classes, also where one does not matter."""
    X = np.array([[1.0], [1.1], [3.0], [5.0], [6.0]])
    y = np.array([0, 0, 0, 1, 1])
    small = th.reduce(X, y, 1.0)
    assert set(small.y) == {0, 1}
    full = th.svm_path(X, y, [1.0], tol=1e-12)
    again = th.svm_path(small.X, small.y, [1.0], sample_weight=small.sample_weight, tol=1e-12)
    np.testing.assert_allclose(again.coef, full.coef, atol=1e-9)


def test_targets_all_inside_the_tube_keep_one_row() -> None:
    X, y = data.regression(20, 2)
    small = th.reduce(X, y / np.abs(y).max(), 1.0, "insensitive", epsilon=2.0)
    assert (len(small.y), small.kept.size) == (1, 1)


def test_weight_zero_is_absence() -> None:
    X, y = data.classes(100, 3)
    some = np.arange(100) % 3 > 0
    one, other = th.reduce(X, y, 0.1, sample_weight=some.astype(float)), th.reduce(X[some], y[some], 0.1)
    np.testing.assert_allclose(one.X, other.X, atol=1e-14)
    np.testing.assert_array_equal(one.kept, np.flatnonzero(some)[other.kept])


# --- misuse


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"C": (0.1, 1.0, 2.0)}, "C must be one number or the two ends of an interval, got 3"),
        ({"C": (1.0, 0.1)}, "C must give the smaller end first"),
        ({"C": -1.0}, "C must be positive"),
        ({"loss": "squared"}, "loss must be one of 'hinge', 'absolute', 'pinball', 'insensitive'"),
        ({"quantile": 0.3}, "quantile is no parameter of the loss 'hinge'"),
        ({"loss": "absolute", "epsilon": 0.3}, "epsilon is no parameter of the loss 'absolute'"),
        ({"intercept": "both"}, "intercept must be"),
        ({"sample_weight": -np.ones(100)}, "sample_weight must not be negative"),
        ({"y": np.ones(99)}, "y has 99 entries where X has 100 rows"),
    ],
)
def test_misuse(bad: dict[str, object], sentence: str) -> None:
    X, y = data.classes(100, 3)
    given = {"X": X, "y": y, "C": 0.1, **bad}
    with pytest.raises(ValueError, match=sentence):
        th.reduce(given.pop("X"), given.pop("y"), given.pop("C"), **given)
