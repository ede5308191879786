"""Cross-validation: the choice of a grid search on the same folds, from one path for each."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import get_scorer, make_scorer, mean_pinball_loss
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold

import thresher as th
from support import data
from support.paths import STORAGES
from thresher.estimators.scores import NAMED, pinball_of
from thresher.estimators.search import chosen

Array = NDArray[np.float64]

GRID = np.geomspace(1e-3, 10.0, 9)
PAIRS: dict[str, tuple[Callable, Callable]] = {
    "LinearSVC": (th.LinearSVCCV, th.LinearSVC),
    "LinearSVR": (
        lambda **options: th.LinearSVRCV(epsilon=0.2, **options),
        lambda **options: th.LinearSVR(epsilon=0.2, **options),
    ),
    "LADRegressor": (th.LADRegressorCV, th.LADRegressor),
    "QuantileRegressor": (
        lambda **options: th.QuantileRegressorCV(quantile=0.3, **options),
        lambda **options: th.QuantileRegressor(quantile=0.3, **options),
    ),
}
pairs = pytest.mark.parametrize("name", list(PAIRS))


def data_for(name: str, rows: int = 160) -> tuple[Array, Array]:
    return data.classes(rows, 4) if name == "LinearSVC" else data.regression(rows, 4)


def three_classes(rows: int = 240) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, rows)
    return rng.normal(size=(rows, 4)) + 1.2 * np.eye(3, 4)[y], np.array(["a", "b", "c"])[y]


def assert_same_search(model: object, search: GridSearchCV, X: Array) -> None:
    """The same scores for every fold and C, hence the same choice; and the same model."""
    folds = range(search.n_splits_)
    theirs = np.array([search.cv_results_[f"split{fold}_test_score"] for fold in folds])
    np.testing.assert_allclose(model.scores_, theirs, atol=1e-6)
    assert np.ptp(theirs.mean(axis=0)) > 0
    best = search.cv_results_["mean_test_score"][np.flatnonzero(model.Cs_ == model.C_)[0]]
    assert best == pytest.approx(search.best_score_, abs=1e-6)
    if search.best_params_["C"] == model.C_:
        np.testing.assert_allclose(model.coef_, search.best_estimator_.coef_, atol=1e-7)
        np.testing.assert_allclose(model.intercept_, search.best_estimator_.intercept_, atol=1e-7)


SCORINGS = {
    "LinearSVC": ["accuracy", "roc_auc", "f1", "balanced_accuracy"],
    "LinearSVR": ["r2", "neg_mean_absolute_error", "neg_median_absolute_error"],
    "LADRegressor": ["r2", "neg_mean_absolute_error", "neg_mean_squared_error"],
    "QuantileRegressor": [
        "neg_mean_absolute_error",
        make_scorer(mean_pinball_loss, alpha=0.3, greater_is_better=False),
    ],
}


@pytest.mark.parametrize(
    ("name", "scoring"), [(name, s) for name, all_ in SCORINGS.items() for s in all_], ids=str
)
def test_grid_search_on_the_same_folds(name: str, scoring: object) -> None:
    X, y = data_for(name)
    cv = KFold(4, shuffle=True, random_state=0)
    searching, single = PAIRS[name]
    model = searching(Cs=GRID, cv=cv, scoring=scoring).fit(X, y)
    search = GridSearchCV(single(), {"C": GRID}, cv=cv, scoring=scoring).fit(X, y)
    assert_same_search(model, search, X)
    assert model.score(X, y) == pytest.approx(search.score(X, y), abs=1e-6)


@pytest.mark.parametrize("options", [{"intercept": "penalised"}, {"fit_intercept": False}], ids=str)
@pairs
def test_other_intercepts(name: str, options: dict) -> None:
    X, y = data_for(name)
    searching, single = PAIRS[name]
    scoring = "accuracy" if name == "LinearSVC" else "neg_mean_absolute_error"
    model = searching(Cs=GRID, cv=3, scoring=scoring, **options).fit(X, y)
    assert_same_search(
        model, GridSearchCV(single(**options), {"C": GRID}, cv=3, scoring=scoring).fit(X, y), X
    )


@pytest.mark.parametrize("scoring", [None, "accuracy", "roc_auc_ovr_weighted_of_decisions", "f1_macro"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 2.0}])
def test_several_classes_share_one_C(class_weight: object, scoring: str | None) -> None:
    X, y = three_classes()
    if scoring == "roc_auc_ovr_weighted_of_decisions":  # a scorer that looks at decision_function
        scoring = lambda model, X, y: float(  # noqa: E731
            np.mean(model.decision_function(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)])
        )
    options = {"cv": 4, "scoring": scoring}
    model = th.LinearSVCCV(Cs=GRID, class_weight=class_weight, **options).fit(X, y)
    search = GridSearchCV(th.LinearSVC(class_weight=class_weight), {"C": GRID}, **options).fit(X, y)
    assert_same_search(model, search, X)
    assert model.coef_.shape == (3, 4)
    assert len(model.path_) == 3


@pairs
def test_weights_count_in_fits_and_scores(name: str) -> None:
    X, y = data_for(name)
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    searching, _ = PAIRS[name]
    many = np.repeat(np.arange(len(y)), weight.astype(int))

    def folds(rows: Array) -> list[tuple[Array, Array]]:
        return [(np.flatnonzero(rows % 4 != k), np.flatnonzero(rows % 4 == k)) for k in range(4)]

    one = searching(Cs=GRID, cv=folds(np.arange(len(y)))).fit(X, y, sample_weight=weight)
    other = searching(Cs=GRID, cv=folds(many)).fit(X[many], y[many])
    np.testing.assert_allclose(one.scores_, other.scores_, atol=1e-6)
    assert one.C_ == other.C_
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)


@pairs
def test_grid_of_its_own_counts_weights_too(name: str) -> None:
    X, y = data_for(name)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    searching, _ = PAIRS[name]
    one = searching(Cs=5, cv=3).fit(X, y, sample_weight=weight.astype(float))
    other = searching(Cs=5, cv=3).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(one.Cs_, other.Cs_, rtol=1e-9)
    assert one.Cs_[-1] == pytest.approx(1e6 * one.Cs_[0])


def test_scorer_that_takes_no_weights_is_warned_of() -> None:
    X, y = data_for("LADRegressor")
    model = th.LADRegressorCV(Cs=GRID, cv=3, scoring=lambda model, X, y: -np.abs(y - model.predict(X)).max())
    with pytest.warns(UserWarning, match="does not take sample_weight: the models are fit with the weights"):
        model.fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize("storage", list(STORAGES))
def test_storage_changes_nothing(storage: str) -> None:
    X, y = data_for("LinearSVC")
    X = X.astype(np.float32).astype(np.float64)
    one = th.LinearSVCCV(Cs=GRID, cv=3).fit(X, y)
    other = th.LinearSVCCV(Cs=GRID, cv=3).fit(STORAGES[storage](X), y)
    np.testing.assert_array_equal(one.scores_, other.scores_)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)
    assert other.coef_.dtype == STORAGES[storage](X).dtype == other.path_.coef.dtype


def test_jobs_change_nothing() -> None:
    X, y = three_classes()
    one, other = (th.LinearSVCCV(Cs=GRID, cv=3, n_jobs=jobs).fit(X, y) for jobs in (None, 2))
    np.testing.assert_array_equal(one.scores_, other.scores_)
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_values_of_C_in_any_order_and_twice() -> None:
    X, y = data_for("LADRegressor")
    shuffled = np.array([1.0, 0.01, 1.0, 0.1])
    model = th.LADRegressorCV(Cs=shuffled, cv=3).fit(X, y)
    ordered = th.LADRegressorCV(Cs=[0.01, 0.1, 1.0], cv=3).fit(X, y)
    np.testing.assert_array_equal(model.Cs_, shuffled)
    np.testing.assert_array_equal(model.scores_, ordered.scores_[:, [2, 0, 2, 1]])
    assert model.C_ == ordered.C_


@pairs
def test_path_of_all_rows(name: str) -> None:
    X, y = data_for(name)
    model = PAIRS[name][0](Cs=GRID, cv=3).fit(X, y)
    place = int(np.flatnonzero(model.path_.C == model.C_)[0])
    np.testing.assert_array_equal(model.path_.coef[place], np.ravel(model.coef_))
    np.testing.assert_array_equal(model.path_.intercept[place], np.ravel(model.intercept_)[0])
    assert np.all(model.path_.gap <= model.tol)
    assert model.path_.screened.shape == (len(GRID), 2)
    single = PAIRS[name][1](C=model.C_).fit(X, y)
    np.testing.assert_allclose(single.coef_, model.coef_, atol=1e-7)
    np.testing.assert_array_equal(single.support_, model.support_)


# --- the choice


def test_ties_go_to_the_smallest_C_whatever_rounding_says() -> None:
    C = np.array([1.0, 0.1, 10.0])
    assert chosen(C, np.array([[0.9, 0.9 - 1e-15, 0.8], [0.7, 0.7, 0.8]]), one_se=False) == 0.1
    assert chosen(C, np.array([[0.9, 0.9 - 1e-9, 0.8], [0.7, 0.7, 0.7]]), one_se=False) == 1.0


def test_one_standard_error() -> None:
    C = np.array([0.1, 1.0, 10.0])
    scores = np.array([[0.70, 0.78, 0.80], [0.72, 0.82, 0.84], [0.68, 0.80, 0.82]])
    error = scores[:, 2].std(ddof=1) / np.sqrt(3)
    assert scores[:, 1].mean() < scores[:, 2].mean() - error
    assert chosen(C, scores, one_se=True) == 10.0
    assert chosen(C, scores - [0.0, -0.01, 0.0], one_se=True) == 1.0
    assert chosen(C, scores - [0.0, -0.01, 0.0], one_se=False) == 10.0
    with pytest.raises(ValueError, match="one_se=True needs at least two folds, got 1"):
        chosen(C, scores[:1], one_se=True)


def test_one_standard_error_of_an_estimator() -> None:
    X, y = data_for("LADRegressor", 60)
    model, best = (th.LADRegressorCV(Cs=GRID, one_se=rule).fit(X, y) for rule in (True, False))
    assert model.C_ < best.C_
    np.testing.assert_array_equal(model.scores_, best.scores_)


def test_a_score_that_is_not_a_number_loses() -> None:
    C, scores = np.array([0.1, 1.0]), np.array([[np.nan, 0.5], [0.9, 0.5]])
    assert chosen(C, scores, one_se=False) == 1.0
    with pytest.raises(ValueError, match="no value of C has a finite score in every fold"):
        chosen(C, scores[:, :1], one_se=False)


def test_without_refit_there_is_C_and_nothing_to_predict_with() -> None:
    X, y = data_for("LinearSVC")
    model = th.LinearSVCCV(Cs=GRID, refit=False).fit(X, y)
    assert model.C_ in GRID
    assert not hasattr(model, "path_")
    with pytest.raises(NotFittedError, match=r"fit with refit=False, which only finds C_; fit LinearSVC\(C="):
        model.predict(X)
    model.set_params(refit=True).fit(X, y).predict(X)
    with pytest.raises(NotFittedError, match="refit=False"):
        model.set_params(refit=False).fit(X, y).predict(X)


# --- scores of all C at once


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("name", [*NAMED, "pinball"])
def test_scores_at_once_are_scikit_learns(name: str, weights: bool) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 50) if name == "accuracy" else rng.normal(size=50)
    predictions = rng.integers(0, 3, (50, 4)) if name == "accuracy" else rng.normal(size=(50, 4))
    weight = rng.random(50) if weights else None
    scorer = (
        get_scorer(name)
        if name != "pinball"
        else make_scorer(mean_pinball_loss, greater_is_better=False, alpha=0.2)
    )
    found = (NAMED.get(name) or pinball_of(0.2))(y, predictions, weight)
    wanted = [
        scorer._sign * scorer._score_func(y, p, sample_weight=weight, **scorer._kwargs) for p in predictions.T
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_held_out_targets_that_are_all_equal() -> None:
    """R² has a convention for those; scikit-learn's is used."""
    X, y = data_for("LinearSVR", 40)
    y[:10] = 1.0
    cv = [(np.arange(10, 40), np.arange(10)), (np.arange(30), np.arange(30, 40))]
    model = th.LinearSVRCV(Cs=GRID, cv=cv).fit(X, y)
    search = GridSearchCV(th.LinearSVR(), {"C": GRID}, cv=cv, scoring="r2").fit(X, y)
    np.testing.assert_allclose(model.scores_[0], search.cv_results_["split0_test_score"], atol=1e-9)


# --- folds


def test_groups() -> None:
    X, y = data_for("LinearSVC")
    groups = np.arange(len(y)) // 20
    model = th.LinearSVCCV(Cs=GRID, cv=GroupKFold(4)).fit(X, y, groups=groups)
    search = GridSearchCV(th.LinearSVC(), {"C": GRID}, cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert_same_search(model, search, X)
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        th.LinearSVCCV(Cs=GRID, cv=GroupKFold(4)).fit(X, y)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        th.LinearSVCCV(Cs=GRID).fit(X, y, colour=groups)


def test_splits_that_overlap_repeat_and_leave_rows_out() -> None:
    X, y = data_for("LADRegressor")
    rng = np.random.default_rng(0)
    cv = [(rng.integers(0, 100, 80), np.arange(100, 160)), (np.arange(5, 60), rng.integers(60, 160, 30))]
    cv += list(ShuffleSplit(2, train_size=0.1, test_size=0.2, random_state=0).split(X))
    model = th.LADRegressorCV(Cs=GRID, cv=cv, scoring="r2").fit(X, y)
    assert_same_search(model, GridSearchCV(th.LADRegressor(), {"C": GRID}, cv=cv, scoring="r2").fit(X, y), X)


def test_a_fold_that_lacks_a_class() -> None:
    X, y = three_classes()
    cv = [(np.flatnonzero(y != "b"), np.arange(0, 240, 3)), (np.arange(120), np.arange(120, 240))]
    model = th.LinearSVCCV(Cs=GRID, cv=cv).fit(X, y)
    assert_same_search(model, GridSearchCV(th.LinearSVC(), {"C": GRID}, cv=cv).fit(X, y), X)
    alone = [(np.flatnonzero(y == "b"), np.arange(10))]
    with pytest.raises(ValueError, match=r"fold 1 of cv trains on one class only \('b'\); use a stratified"):
        th.LinearSVCCV(Cs=GRID, cv=alone).fit(X, y)


def test_default_folds_are_stratified() -> None:
    X, y = data_for("LinearSVC")
    default = th.LinearSVCCV(Cs=GRID).fit(X, y)
    np.testing.assert_array_equal(
        default.scores_, th.LinearSVCCV(Cs=GRID, cv=StratifiedKFold(5)).fit(X, y).scores_
    )


# --- messages


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"scoring": "beauty"}, "The 'scoring' parameter of LinearSVCCV must be a str among"),
        ({"Cs": 0}, "The 'Cs' parameter of LinearSVCCV must be an int in the range"),
        ({"Cs": [0.1, -1.0]}, "Cs must be a number of values, or a sequence of positive numbers"),
        ({"Cs": [[0.1]]}, "Cs must be a number of values, or a sequence of positive numbers"),
        ({"Cs": [0.1, np.nan]}, "Input Cs contains NaN"),
        ({"cv": 1}, "The 'cv' parameter of LinearSVCCV must be an int in the range"),
        ({"one_se": 2.0}, "The 'one_se' parameter"),
        ({"intercept": "both"}, "The 'intercept' parameter"),
    ],
    ids=str,
)
def test_parameters_out_of_range(options: dict, sentence: str) -> None:
    X, y = data_for("LinearSVC", 40)
    with pytest.raises(ValueError, match=sentence):
        th.LinearSVCCV(**options).fit(X, y)


def test_points_that_miss_tol_are_counted() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 10))
    y = X[:, 0] + rng.normal(size=800) > 0
    model = th.LinearSVCCV(Cs=GRID, cv=2, max_iter=1, intercept="penalised")
    with pytest.warns(
        ConvergenceWarning, match=r"did not reach tol=1e-06 at \d+ points of its paths, with max_iter=1:"
    ):
        model.fit(X, y)


def test_verbose_tells_of_every_fold(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = data_for("LinearSVC")
    model = th.LinearSVCCV(Cs=GRID, cv=3, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:25] for line in lines[:3]] == [f"[LinearSVCCV] fold {k} of 3" for k in (1, 2, 3)]
    assert lines[3] == f"[LinearSVCCV] chose C={model.C_:g}"
    assert lines[4].startswith("[LinearSVCCV] all rows: C=")


def test_wide_sparse_data_stays_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    from thresher.rows import CsrRows

    def refuse(*_: object) -> None:
        raise AssertionError("rows were made dense")

    rng = np.random.default_rng(0)
    X = sparse.random(1200, 100_000, density=3e-4, random_state=rng, format="csr")
    y = np.asarray(X[:, :50_000].sum(axis=1)).ravel() > np.asarray(X[:, 50_000:].sum(axis=1)).ravel()
    monkeypatch.setattr(CsrRows, "gather", refuse)
    monkeypatch.setattr(CsrRows, "to_dense", refuse)
    monkeypatch.setattr(type(X), "toarray", refuse)
    model = th.LinearSVCCV(Cs=[0.01, 0.1], cv=2, tol=1e-3).fit(X, y)
    assert model.path_.coef.shape == (2, 100_000)
