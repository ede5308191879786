"""The estimators' models: those of scikit-learn's solvers run to convergence, and what comes with them."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import thresher as th
from support import data
from support.models import MODELS
from support.paths import long_indices, weights_of
from support.sklearns import liblinear_svc, liblinear_svr, libsvm_svc, libsvm_svr, same
from thresher.rows import CsrRows

Array = NDArray[np.float64]

needs_time = pytest.mark.slow
weighted = pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])

REGRESSORS = {
    "LinearSVR": lambda **options: th.LinearSVR(epsilon=0.25, **options),
    "LADRegressor": th.LADRegressor,
    "QuantileRegressor": lambda **options: th.QuantileRegressor(quantile=0.3, **options),
}
ESTIMATORS: dict[str, Callable] = {"LinearSVC": th.LinearSVC, **REGRESSORS}
estimators = pytest.mark.parametrize("name", list(ESTIMATORS))
regressors = pytest.mark.parametrize("name", list(REGRESSORS))


def small_data(name: str, rows: int = 150, columns: int = 4) -> tuple[Array, Array]:
    return (data.classes if name == "LinearSVC" else data.regression)(rows, columns)


def three_classes(rows: int = 300, columns: int = 4) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, rows)
    return rng.normal(size=(rows, columns)) + 1.5 * np.eye(3, columns)[y], y


# --- the models of LIBLINEAR and LIBSVM


@weighted
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_svc_is_liblinears(C: float, weights: bool) -> None:
    X, y = data.classes(200, 5)
    weight = weights_of(y) if weights else None
    ours = th.LinearSVC(C=C, intercept="penalised").fit(X, y, weight)
    same(ours, liblinear_svc(C).fit(X, y, weight))
    ours = th.LinearSVC(C=C, fit_intercept=False).fit(X, y, weight)
    same(ours, liblinear_svc(C, fit_intercept=False).fit(X, y, weight))


@weighted
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_svr_is_liblinears(epsilon: float, weights: bool) -> None:
    X, y = data.regression(200, 5)
    weight = weights_of(y) if weights else None
    ours = th.LinearSVR(epsilon=epsilon, C=0.1, intercept="penalised").fit(X, y, weight)
    same(ours, liblinear_svr(0.1, epsilon=epsilon).fit(X, y, weight))


@weighted
def test_free_intercepts_are_libsvms(weights: bool) -> None:
    """LIBSVM keeps its kernel in single precision, so it is not asked for more than 1e-5."""
    X, y = data.classes(200, 5)
    weight = weights_of(y) if weights else None
    same(th.LinearSVC(C=0.5).fit(X, y, weight), libsvm_svc(0.5).fit(X, y, weight))
    X, y = data.regression(200, 5)
    ours = th.LinearSVR(C=0.5, epsilon=0.3).fit(X, y, weight)
    same(ours, libsvm_svr(0.5, epsilon=0.3).fit(X, y, weight))


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0}, {0: 0.5, 1: 2.0, 2: 1.0}])
def test_one_against_the_rest_is_liblinears(class_weight: object) -> None:
    X, y = three_classes()
    options = {"C": 0.1, "class_weight": class_weight}
    ours = th.LinearSVC(intercept="penalised", **options).fit(X, y)
    theirs = liblinear_svc(**options).fit(X, y)
    assert ours.coef_.shape == (3, 4)
    same(ours, theirs)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@weighted
@pytest.mark.parametrize("class_weight", ["balanced", {"ham": 3.0, "spam": 0.5}])
def test_class_weights(class_weight: object, weights: bool) -> None:
    X, y = data.classes(200, 5)
    y = np.where(y > np.random.default_rng(0).random(200), "spam", "ham")
    weight = weights_of(y) if weights else None
    ours = th.LinearSVC(C=0.1, intercept="penalised", class_weight=class_weight).fit(X, y, weight)
    same(ours, liblinear_svc(0.1, class_weight=class_weight).fit(X, y, weight))


@pytest.mark.parametrize("name", ["ijcnn1", "wine_quality_redwhite", "covtype_6v7"])
@weighted
def test_svc_on_real_sets(name: str, weights: bool) -> None:
    X, y = data.real_sample(name, 3000)
    weight = weights_of(y) if weights else None
    same(th.LinearSVC(C=0.1, intercept="penalised").fit(X, y, weight), liblinear_svc(0.1).fit(X, y, weight))


@pytest.mark.parametrize("name", ["magic", "cpu_small", "houses"])
@weighted
def test_svr_on_real_sets(name: str, weights: bool) -> None:
    X, y = data.real_sample(name, 3000)
    y = (y - y.mean()) / y.std()
    weight = weights_of(y) if weights else None
    ours = th.LinearSVR(C=0.1, epsilon=0.1, intercept="penalised").fit(X, y, weight)
    same(ours, liblinear_svr(0.1, epsilon=0.1).fit(X, y, weight))


@needs_time
@pytest.mark.parametrize("name", ["ijcnn1", "wine_quality_redwhite", "covtype_6v7"])
def test_svc_on_whole_real_sets(name: str) -> None:
    X, y = data.real(name)
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    same(th.LinearSVC(C=0.1, intercept="penalised").fit(X, y), liblinear_svc(0.1, tol=1e-8).fit(X, y))


@pytest.mark.parametrize("name", ["wine_quality_redwhite", "magic", "covtype_6v7"])
def test_svc_is_libsvms_on_real_sets(name: str) -> None:
    X, y = data.real_sample(name, 1000)
    same(th.LinearSVC(C=0.1).fit(X, y), libsvm_svc(0.1).fit(X, y))


def test_quantile_is_scikit_learns_where_the_penalty_is_nothing() -> None:
    """Its penalty is another one: |w| in place of half of w squared."""
    from sklearn.linear_model import QuantileRegressor

    X, y = data.regression(300, 4)
    ours = th.QuantileRegressor(quantile=0.8, C=1e7).fit(X, y)
    same(ours, QuantileRegressor(quantile=0.8, alpha=0.0, solver="highs").fit(X, y), atol=1e-4)


@estimators
def test_is_the_path_functions_model(name: str) -> None:
    X, y = small_data(name)
    path, options = {
        "LinearSVC": (th.svm_path, {}),
        "LinearSVR": (th.svr_path, {"epsilon": 0.25}),
        "LADRegressor": (th.lad_path, {}),
        "QuantileRegressor": (th.quantile_path, {"quantile": 0.3}),
    }[name]
    for kind, arguments in {
        "free": {},
        "penalised": {"intercept": "penalised"},
        "none": {"fit_intercept": False},
    }.items():
        solution = path(X, y, [0.3], intercept=kind, tol=1e-12, **options)[0]
        model = ESTIMATORS[name](C=0.3, **arguments).fit(X, y)
        np.testing.assert_allclose(np.ravel(model.coef_), solution.coef, atol=1e-7)
        np.testing.assert_allclose(np.ravel(model.intercept_), solution.intercept, atol=1e-7)


# --- what comes with a model


@weighted
@estimators
def test_dual_coefficients_make_the_weights(name: str, weights: bool) -> None:
    X, y = small_data(name)
    model = ESTIMATORS[name](C=0.3).fit(X, y, weights_of(y) if weights else None)
    assert model.dual_coef_.shape == (1, model.support_.size)
    np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], np.atleast_2d(model.coef_), atol=1e-7)
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-7)  # the free intercept's equation
    assert model.dual_gap_ <= model.tol
    assert model.certificate_.distance < 1e-3
    assert model.n_iter_ >= 1


def test_support_is_libsvms() -> None:
    X, y = data.classes(200, 5)
    ours, theirs = th.LinearSVC(C=0.5).fit(X, y), libsvm_svc(0.5).fit(X, y)
    np.testing.assert_array_equal(ours.support_, np.sort(theirs.support_))
    order = np.argsort(theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_[:, order], atol=1e-5)
    assert 0 < ours.support_.size < len(y)
    X, y = data.regression(200, 5)
    ours, theirs = th.LinearSVR(epsilon=0.5, C=0.5).fit(X, y), libsvm_svr(0.5, epsilon=0.5).fit(X, y)
    np.testing.assert_array_equal(ours.support_, np.sort(theirs.support_))


def test_support_of_several_classes() -> None:
    X, y = three_classes()
    model = th.LinearSVC(C=0.1).fit(X, y)
    assert model.dual_coef_.shape == (3, model.support_.size)
    np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-7)
    assert model.support_.size < len(y)
    assert model.dual_gap_.shape == (3,)
    assert len(model.certificate_) == 3


@pytest.mark.parametrize(("classes", "shape"), [(2, (10,)), (3, (10, 3))])
def test_shapes_of_decisions(classes: int, shape: tuple[int, ...]) -> None:
    X, y = three_classes()
    model = th.LinearSVC().fit(X[y < classes], y[y < classes])
    decisions = model.decision_function(X[:10])
    assert decisions.shape == shape
    wins = decisions > 0 if classes == 2 else decisions.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X[:10]), wins)


@estimators
def test_float32_stays_float32(name: str) -> None:
    X, y = small_data(name)
    for stored in (X.astype(np.float32), sparse.csr_matrix(X.astype(np.float32))):
        model = ESTIMATORS[name]().fit(stored, y)
        assert {model.coef_.dtype, model.intercept_.dtype, model.dual_coef_.dtype} == {np.dtype(np.float32)}
        output = model.decision_function(stored) if name == "LinearSVC" else model.predict(stored)
        assert output.dtype == np.float32
    double = ESTIMATORS[name]().fit(X, y)
    assert double.coef_.dtype == np.float64
    np.testing.assert_allclose(model.coef_, double.coef_, atol=1e-4)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, long_indices, sparse.csc_matrix])
@estimators
def test_sparse_is_dense(name: str, form: Callable) -> None:
    X, y = small_data(name)
    X[np.abs(X) < 0.5] = 0.0
    one, other = ESTIMATORS[name]().fit(X, y), ESTIMATORS[name]().fit(form(X), y)
    same(other, one, atol=1e-8)
    np.testing.assert_array_equal(other.predict(form(X)), one.predict(X)) if name == "LinearSVC" else (
        np.testing.assert_allclose(other.predict(form(X)), one.predict(X), atol=1e-7)
    )


@pytest.mark.parametrize("long", [False, True], ids=["int32", "int64"])
@pytest.mark.parametrize("options", [{}, {"intercept": "penalised"}, {"fit_intercept": False}], ids=str)
@estimators
def test_sparse_is_never_made_dense(
    name: str, options: dict, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    columns, rows = 200_000, 600
    small = sparse.random(rows, 30, density=0.3, random_state=rng, format="csr")
    places = np.sort(rng.choice(columns, 30, replace=False))
    index = np.int64 if long else np.int32
    parts = (small.data, places[small.indices].astype(index), small.indptr.astype(index))
    X = sparse.csr_matrix(parts, shape=(rows, columns))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    y = small @ rng.normal(size=30) + 0.3 * rng.normal(size=rows)
    y = np.where(y > np.quantile(y, 0.7), 1, 0) if name == "LinearSVC" else y

    def refuse(*_: object) -> None:
        raise AssertionError("rows were made dense")

    monkeypatch.setattr(CsrRows, "gather", refuse)
    monkeypatch.setattr(CsrRows, "to_dense", refuse)
    monkeypatch.setattr(type(X), "toarray", refuse)
    model = ESTIMATORS[name](C=0.5, tol=1e-4, **options).fit(X, y)
    assert model.score(X, y) > 0.5


@estimators
def test_weight_two_is_twice_and_weight_zero_is_absence(name: str) -> None:
    X, y = small_data(name)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    one = ESTIMATORS[name](C=0.2).fit(X, y, sample_weight=weight)
    other = ESTIMATORS[name](C=0.2).fit(X.repeat(weight, axis=0), y.repeat(weight))
    same(one, other, atol=1e-8)


def test_balance_counts_weights() -> None:
    X, y = three_classes()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    one = th.LinearSVC(class_weight="balanced").fit(X, y, sample_weight=weight)
    other = th.LinearSVC(class_weight="balanced").fit(X.repeat(weight, axis=0), y.repeat(weight))
    same(one, other, atol=1e-8)


def test_threads_change_nothing() -> None:
    X, y = three_classes()
    one, other = th.LinearSVC().fit(X, y), th.LinearSVC(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)


def test_a_class_without_weight_is_never_predicted() -> None:
    X, y = three_classes()
    weight = (y != 1).astype(float)
    model = th.LinearSVC().fit(X, y, sample_weight=weight)
    assert set(model.predict(X)) == {0, 2}
    two = th.LinearSVC().fit(X[y != 1], y[y != 1])
    np.testing.assert_allclose(model.coef_[2], two.coef_[0], atol=1e-8)
    assert not model.coef_[1].any()


# --- limits, messages


@pytest.mark.parametrize("columns", [10, 700], ids=["newton", "conjugate"])
def test_max_iter_limits_the_solver_and_says_so(columns: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, columns))
    y = X[:, 0] + rng.normal(size=800) > 0
    X = X if columns < 500 else sparse.csr_array(X * (rng.random(X.shape) < 0.1))
    model = th.LinearSVC(C=10.0, max_iter=1, intercept="penalised")
    with pytest.warns(ConvergenceWarning, match=r"did not reach tol=1e-06 at C=10.*max_iter=1\b") as caught:
        model.fit(X, y)
    assert model.dual_gap_ > model.tol
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert th.LinearSVC(C=10.0, intercept="penalised", tol=1e-4).fit(X, y).n_iter_ > model.n_iter_


def test_verbose_tells_of_every_problem(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = three_classes()
    th.LinearSVC(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"[LinearSVC] class {k}" for k in range(3)]
    assert all("relative gap" in line and "rows proven" in line for line in lines)
    th.LADRegressor(verbose=True).fit(X, y)
    assert capsys.readouterr().out.startswith("[LADRegressor] C=1: converged, relative gap ")
    th.LADRegressor().fit(X, y)
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (th.LinearSVC(C=-1.0), r"The 'C' parameter of LinearSVC must be a float in the range \(0.0, inf\)"),
        (th.LinearSVC(intercept="none"), "The 'intercept' parameter of LinearSVC must be a str among"),
        (th.LinearSVC(max_iter=0), "The 'max_iter' parameter"),
        (th.LinearSVC(tol=0.0), "The 'tol' parameter"),
        (th.LinearSVC(class_weight="even"), "The 'class_weight' parameter"),
        (th.LinearSVR(epsilon=-0.1), "The 'epsilon' parameter of LinearSVR"),
        (
            th.QuantileRegressor(quantile=1.0),
            r"The 'quantile' parameter of QuantileRegressor must be a float",
        ),
        (th.QuantileRegressor(quantile=0), "The 'quantile' parameter"),
        (th.LADRegressor(fit_intercept="yes"), "The 'fit_intercept' parameter"),
    ],
    ids=str,
)
def test_parameters_out_of_range(model: object, sentence: str) -> None:
    X, y = data.classes(20, 2)
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y)


@estimators
def test_misuse_in_scikit_learns_words(name: str) -> None:
    X, y = small_data(name)
    model = ESTIMATORS[name]()
    with pytest.raises(NotFittedError, match=r"is not fitted yet\. Call 'fit' with appropriate arguments"):
        model.predict(X)
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"X has 3 features, but \w+ is expecting 4 features as input"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.fit(np.where(X[3, 2] == X, np.nan, X), y)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        model.fit(X, y, sample_weight=-np.ones(len(y)))


def test_misuse_of_classes() -> None:
    X, y = data.classes(20, 2)
    with pytest.raises(
        ValueError, match="needs samples of at least 2 classes in the data, but the data contain"
    ):
        th.LinearSVC().fit(X, np.ones(20))
    with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
        th.LinearSVC().fit(X, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match="Unknown label type"):
        th.LinearSVC().fit(X, np.linspace(0, 1, 20))
    with pytest.raises(ValueError, match="not in class_weight"):
        th.LinearSVC(class_weight={5: 1.0}).fit(X, y)


@pytest.mark.parametrize("name", list(MODELS))
def test_large_weights_and_small(name: str) -> None:
    """A weight is a factor to the loss, whatever its size: C and weights are one scale."""
    X, y = MODELS[name].data(100, 3)
    kind = {
        "hinge": th.LinearSVC,
        "absolute": th.LADRegressor,
        "pinball": th.QuantileRegressor,
        "insensitive": th.LinearSVR,
    }[name]
    one, other = kind(C=0.1).fit(X, y), kind(C=1e-4).fit(X, y, sample_weight=np.full(len(y), 1e3))
    same(one, other, atol=1e-8)
