"""What scikit-learn's users expect of every estimator."""

import io
import pickle
from collections.abc import Callable, Iterator

import joblib
import numpy as np
import pandas
import polars
import pytest
import sklearn
import skops.io
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, LinearSVR
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import thresher as th
from support import data

Array = NDArray[np.float64]

CLASSIFIERS: dict[str, Callable[[], BaseEstimator]] = {
    "LinearSVC": th.LinearSVC,
    "LinearSVCCV": lambda: th.LinearSVCCV(Cs=6),
}
REGRESSORS: dict[str, Callable[[], BaseEstimator]] = {
    "LinearSVR": lambda: th.LinearSVR(epsilon=0.1),
    "LADRegressor": th.LADRegressor,
    "QuantileRegressor": th.QuantileRegressor,
    "LinearSVRCV": lambda: th.LinearSVRCV(epsilon=0.1, Cs=6),
    "LADRegressorCV": lambda: th.LADRegressorCV(Cs=6),
    "QuantileRegressorCV": lambda: th.QuantileRegressorCV(Cs=6),
}
REDUCED: dict[str, Callable[[], BaseEstimator]] = {
    "Reduced(LinearSVC)": lambda: th.Reduced(LinearSVC(loss="hinge", random_state=0)),
    "Reduced(SVC)": lambda: th.Reduced(SVC(kernel="linear")),
    "Reduced(LinearSVR)": lambda: th.Reduced(LinearSVR(random_state=0)),
}
ESTIMATORS = {**CLASSIFIERS, **REGRESSORS, **REDUCED}
estimators = pytest.mark.parametrize("name", list(ESTIMATORS))
own = pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])

VARIANTS: dict[str, Callable[[], BaseEstimator]] = {
    "LinearSVC, penalised": lambda: th.LinearSVC(intercept="penalised"),
    "LinearSVC, none": lambda: th.LinearSVC(fit_intercept=False),
    "LinearSVR, none": lambda: th.LinearSVR(fit_intercept=False),
    "QuantileRegressor, 0.8": lambda: th.QuantileRegressor(quantile=0.8, intercept="penalised"),
    "LADRegressorCV, one_se": lambda: th.LADRegressorCV(Cs=6, one_se=True, intercept="penalised"),
}

WEIGHTS = "the wrapped solver stops at its own tolerance, which two orders of the rows reach differently"
EXPECTED: dict[str, dict[str, str]] = {
    "LinearSVC, none": {
        "check_class_weight_classifiers": "one class is to be predicted alone, which takes an intercept",
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
            "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
        }
        for name in REDUCED
    },
}


def data_for(name: str, rows: int = 120) -> tuple[Array, Array]:
    return data.regression(rows, 4) if "SVC" not in name else data.classes(rows, 4)


# One check weighs classes with 1000 and 0.0001, which leaves a gap above tol, and LIBLINEAR's 1000 epochs
# are few: both say so, as they should.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [*ESTIMATORS, *VARIANTS])
def test_scikit_learns_own_checks(name: str) -> None:
    estimator = {**ESTIMATORS, **VARIANTS}[name]()
    results = check_estimator(estimator, expected_failed_checks=EXPECTED.get(name, {}), on_skip=None)
    assert len(results) > 50
    failed = {result["check_name"] for result in results if result["status"] == "xfail"}
    assert failed == set(EXPECTED.get(name, {})), "a failure that was expected did not happen"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [th.LinearSVCCV, th.LinearSVRCV, th.LADRegressorCV, th.QuantileRegressorCV])
def test_scikit_learns_own_checks_with_the_default_grid(kind: type) -> None:
    check_estimator(kind(), on_skip=None)


@estimators
def test_tags(name: str) -> None:
    tags = get_tags(ESTIMATORS[name]())
    assert tags.estimator_type == ("classifier" if "SVC" in name else "regressor")
    assert tags.input_tags.sparse
    assert tags.target_tags.required
    if tags.classifier_tags is not None:
        assert tags.classifier_tags.multi_class == (name not in REDUCED)


# --- copies and files


def outputs(model: BaseEstimator, X: Array) -> Iterator[Array]:
    yield model.predict(X)
    if hasattr(model, "decision_function"):
        yield model.decision_function(X)


def through_joblib(model: BaseEstimator) -> BaseEstimator:
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def through_skops(model: BaseEstimator) -> BaseEstimator:
    stored = skops.io.dumps(model)
    return skops.io.loads(stored, trusted=skops.io.get_untrusted_types(data=stored))


@pytest.mark.parametrize(
    "copy",
    [lambda m: pickle.loads(pickle.dumps(m)), through_joblib, through_skops],
    ids=["pickle", "joblib", "skops"],
)
@own
def test_round_trips(name: str, copy: Callable) -> None:
    X, y = data_for(name)
    model = ESTIMATORS[name]().fit(X, y)
    again = copy(model)
    assert again.get_params() == model.get_params()
    for one, other in zip(outputs(model, X), outputs(again, X), strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.certificate_.gap == model.certificate_.gap
    unfitted = clone(again)
    assert unfitted.get_params() == model.get_params()
    assert not hasattr(unfitted, "coef_")


@pytest.mark.parametrize("name", ["LinearSVC", "LADRegressorCV"])
def test_a_model_does_not_carry_its_data(name: str) -> None:
    X, y = data_for(name, 20_000)
    assert len(pickle.dumps(ESTIMATORS[name]().fit(X, y).certificate_)) < 0.05 * X.nbytes
    model = ESTIMATORS[name]().fit(X, y)
    del model.dual_coef_, model.support_
    assert len(pickle.dumps(model)) < 0.05 * X.nbytes


# --- data frames


@pytest.mark.parametrize("library", [pandas, polars], ids=["pandas", "polars"])
@estimators
def test_feature_names(name: str, library: object) -> None:
    X, y = data_for(name)
    names = ["length", "width", "height", "mass"]
    frame = library.DataFrame(dict(zip(names, X.T, strict=True)))
    model = ESTIMATORS[name]().fit(frame, y)
    np.testing.assert_array_equal(model.feature_names_in_, names)
    assert model.n_features_in_ == 4
    np.testing.assert_allclose(model.predict(frame), ESTIMATORS[name]().fit(X, y).predict(X), atol=1e-7)
    with pytest.raises(ValueError, match="The feature names should match those that were passed during fit"):
        model.predict(frame[names[::-1]])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)


@pytest.mark.parametrize("output", ["pandas", "polars"])
@estimators
def test_set_output_of_the_steps_before_reaches_the_model(name: str, output: str) -> None:
    """The estimators do not transform, so set_output concerns what comes before them."""
    X, y = data_for(name)
    frame = pandas.DataFrame(X, columns=["length", "width", "height", "mass"])
    pipeline = make_pipeline(StandardScaler(), ESTIMATORS[name]()).set_output(transform=output)
    pipeline.fit(frame, y)
    np.testing.assert_array_equal(pipeline[-1].feature_names_in_, frame.columns)
    assert pipeline.score(frame, y) > 0.1
    assert not hasattr(pipeline[-1], "transform")


# --- inside other estimators


@own
def test_grid_search(name: str) -> None:
    X, y = data_for(name)
    grid = {"fit_intercept": [True, False]} if name.endswith("CV") else {"C": [1e-3, 1e-1, 10.0]}
    search = GridSearchCV(ESTIMATORS[name](), grid, cv=3).fit(X, y)
    assert search.best_params_.keys() == grid.keys()
    assert hasattr(search.best_estimator_, "coef_")


@pytest.mark.parametrize("name", [*CLASSIFIERS, "Reduced(SVC)"])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities(name: str, method: str) -> None:
    X, y = data.classes(600, 4)
    model = CalibratedClassifierCV(ESTIMATORS[name](), method=method, cv=3).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (600, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    likely = probabilities[:, 1] > 0.7
    assert likely.any()
    assert np.mean(y[likely] > 0) > 0.7


def test_several_classes_by_wrapping() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 4)) + 2.0 * np.eye(3, 4)[y]
    ours = th.LinearSVC(C=0.1).fit(X, y)
    rest = OneVsRestClassifier(th.LinearSVC(C=0.1)).fit(X, y)
    np.testing.assert_allclose(rest.decision_function(X), ours.decision_function(X), atol=1e-9)
    reduced = OneVsRestClassifier(th.Reduced(SVC(kernel="linear", C=0.1, tol=1e-8))).fit(X, y)
    np.testing.assert_allclose(reduced.decision_function(X), ours.decision_function(X), atol=1e-4)
    one = OneVsOneClassifier(th.Reduced(SVC(kernel="linear", C=0.1, tol=1e-8))).fit(X, y)
    np.testing.assert_array_equal(
        one.predict(X), OneVsOneClassifier(th.LinearSVC(C=0.1)).fit(X, y).predict(X)
    )


# --- metadata


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@estimators
def test_weights_are_routed_through_a_pipeline(name: str) -> None:
    X, y = data_for(name)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    direct = ESTIMATORS[name]()
    if name.endswith("CV"):
        scorer = sklearn.metrics.get_scorer("accuracy" if "SVC" in name else "neg_mean_absolute_error")
        direct.set_params(scoring=scorer.set_score_request(sample_weight=True), Cs=[0.1])
    pipeline = make_pipeline(clone(direct).set_fit_request(sample_weight=True))
    direct.set_fit_request(sample_weight=True)
    routed = pipeline.fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(routed.predict(X), direct.fit(X, y, sample_weight=weight).predict(X))
    unweighted = clone(direct).fit(X, y)
    assert np.abs(np.ravel(unweighted.coef_) - np.ravel(direct.coef_)).max() > 1e-6


@pytest.mark.usefixtures("routing")
@own
def test_weights_that_nobody_asked_for_are_refused(name: str) -> None:
    X, y = data_for(name)
    with pytest.raises(ValueError, match="sample_weight"):
        make_pipeline(ESTIMATORS[name]()).fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.usefixtures("routing")
def test_groups_and_weights_are_routed_to_splitter_and_scorer() -> None:
    X, y = data.classes(120, 4)
    groups, weight = np.arange(120) % 4, np.random.default_rng(0).integers(1, 4, 120).astype(float)
    scorer = sklearn.metrics.get_scorer("accuracy").set_score_request(sample_weight=True)
    model = th.LinearSVCCV(Cs=[0.01, 0.1], cv=GroupKFold(4), scoring=scorer)
    model.set_fit_request(sample_weight=True).fit(X, y, groups=groups, sample_weight=weight)
    for fold in range(4):
        test = groups == fold
        single = th.LinearSVC(C=0.01).set_fit_request(sample_weight=True)
        single.fit(X[~test], y[~test], sample_weight=weight[~test])
        expected = np.average(single.predict(X[test]) == y[test], weights=weight[test])
        assert np.isclose(model.scores_[:, 0], expected).any()
    assert model.score(X, y, sample_weight=weight) == pytest.approx(
        np.average(model.predict(X) == y, weights=weight)
    )
    scores = cross_val_score(model, X, y, cv=3, params={"groups": groups, "sample_weight": weight})
    assert scores.shape == (3,)
