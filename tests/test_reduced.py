"""Reduced: scikit-learn's estimators on reduced data have the coefficients they have on all of it."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

import thresher as th
from support import data
from support.paths import long_indices, weights_of
from support.sklearns import liblinear_svc, liblinear_svr, libsvm_svc, same

Array = NDArray[np.float64]

WRAPPED: dict[str, BaseEstimator] = {
    "LinearSVC": liblinear_svc(0.3),
    "LinearSVC without": liblinear_svc(0.3, fit_intercept=False),
    "LinearSVC scaled": liblinear_svc(0.3, intercept_scaling=5.0),
    "LinearSVC balanced": liblinear_svc(0.3, class_weight="balanced"),
    "LinearSVC weighted": liblinear_svc(0.3, class_weight={-1.0: 0.7}),
    "SVC": libsvm_svc(0.3),
    "SVC balanced": libsvm_svc(0.3, class_weight="balanced"),
    "LinearSVR": liblinear_svr(0.3),
    "LinearSVR wide": liblinear_svr(0.3, epsilon=0.5),
    "LinearSVR without": liblinear_svr(0.3, fit_intercept=False, epsilon=0.2),
    "LinearSVR scaled": liblinear_svr(0.3, intercept_scaling=0.2),
}
wrapped = pytest.mark.parametrize("name", list(WRAPPED))


def data_for(name: str, rows: int = 300) -> tuple[Array, Array]:
    X, y = data.regression(rows, 4) if "SVR" in name else data.classes(rows, 4)
    return X + 0.5, y if "SVR" in name else np.where(y + X[:, 1] > 0.7, 1.0, -1.0)


@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
@wrapped
def test_same_model_from_fewer_rows(name: str, weights: bool) -> None:
    X, y = data_for(name)
    weight = weights_of(y) if weights else None
    model = th.Reduced(WRAPPED[name]).fit(X, y, weight)
    assert model.reduction_.share < 0.3
    assert model.estimator_.n_features_in_ == model.reduction_.X.shape[1] == 4
    full = WRAPPED[name].fit(X, y, sample_weight=weight)
    same(model, full, atol=2e-5 if "SVC" in name else 1e-5)
    np.testing.assert_allclose(model.predict(X), full.predict(X), atol=1e-4)
    assert model.score(X, y) == pytest.approx(full.score(X, y), abs=1e-4)


@pytest.mark.parametrize("name", ["wine_quality_redwhite", "covtype_6v7", "ijcnn1"])
def test_real_sets(name: str) -> None:
    X, y = data.real_sample(name, 5000)
    model = th.Reduced(liblinear_svc(0.1)).fit(X, y)
    assert model.reduction_.share < 0.1
    same(model, liblinear_svc(0.1).fit(X, y))


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, long_indices])
@pytest.mark.parametrize("name", ["LinearSVC scaled", "SVC", "LinearSVR"])
def test_sparse(name: str, form: object) -> None:
    """With 64-bit indices too, which scikit-learn's own refuse."""
    X, y = data_for(name)
    X[np.abs(X) < 0.5] = 0.0
    one, other = th.Reduced(WRAPPED[name]).fit(X, y), th.Reduced(WRAPPED[name]).fit(form(X), y)
    assert sparse.issparse(other.reduction_.X)
    np.testing.assert_allclose(other.predict(sparse.csr_matrix(X)), one.predict(X), atol=1e-4)


def test_labels_of_any_kind() -> None:
    X, y = data_for("SVC")
    labels = np.where(y > 0, "spam", "ham")
    model = th.Reduced(SVC(kernel="linear", class_weight={"spam": 2.0})).fit(X, labels)
    np.testing.assert_array_equal(model.classes_, ["ham", "spam"])
    assert set(model.predict(X)) == {"ham", "spam"}
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == "spam")


def test_regressors_have_no_decision_function() -> None:
    model = th.Reduced(LinearSVR(random_state=0))
    assert not hasattr(model, "decision_function")
    assert not hasattr(model.fit(*data_for("LinearSVR")), "decision_function")


def test_verbose_says_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = data_for("SVC")
    model = th.Reduced(SVC(kernel="linear"), verbose=1).fit(X, y)
    assert capsys.readouterr().out.startswith(f"[Reduced] {len(model.reduction_.y)} of 300 rows left (")


def test_a_loose_tolerance_leaves_more_rows() -> None:
    X, y = data_for("SVC", 2000)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(2000, 600))])  # descent stops where it is told
    tight, loose = (th.Reduced(LinearSVC(loss="hinge", C=1e-3), tol=tol).fit(X, y) for tol in (1e-6, 1e-2))
    assert tight.reduction_.share < loose.reduction_.share


@pytest.mark.parametrize(
    ("estimator", "error", "sentence"),
    [
        (LinearSVC(), ValueError, r"needs LinearSVC\(loss='hinge'\), got loss='squared_hinge'"),
        (LinearSVC(loss="hinge", multi_class="crammer_singer"), ValueError, "multi_class='ovr'"),
        (LinearSVC(loss="hinge", penalty="l1"), ValueError, r"needs LinearSVC\(penalty='l2'\)"),
        (SVC(), ValueError, r"needs SVC\(kernel='linear'\), got kernel='rbf'"),
        (
            LinearSVR(loss="squared_epsilon_insensitive"),
            ValueError,
            r"LinearSVR\(loss='epsilon_insensitive'\)",
        ),
        (SVR(kernel="linear"), TypeError, "wraps scikit-learn's LinearSVC.*, got SVR"),
        (LogisticRegression(), TypeError, "got LogisticRegression"),
        (RandomForestClassifier(), TypeError, "got RandomForestClassifier"),
        (th.LinearSVC(), TypeError, "got LinearSVC"),
        (LinearSVC(loss="hinge", C=-1.0), ValueError, "The 'C' parameter of LinearSVC"),
        ("SVC", ValueError, "The 'estimator' parameter of Reduced must be an object implementing"),
    ],
    ids=str,
)
def test_what_cannot_be_wrapped_is_refused(estimator: object, error: type, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        th.Reduced(estimator).fit(*data_for("SVC"))


@pytest.mark.filterwarnings("ignore:The `probability`:FutureWarning")
def test_probabilities_of_reduced_rows_are_refused() -> None:
    with pytest.raises(ValueError, match=r"use CalibratedClassifierCV\(Reduced\(SVC\(kernel='linear'\)\)\)"):
        th.Reduced(SVC(kernel="linear", probability=True)).fit(*data_for("SVC"))


def test_more_classes_are_referred_to_wrappers() -> None:
    X, _ = data_for("SVC")
    with pytest.raises(
        ValueError, match=r"Only binary classification is supported\..*OneVsRestClassifier\(Reduced"
    ):
        th.Reduced(SVC(kernel="linear")).fit(X, np.arange(300) % 3)
