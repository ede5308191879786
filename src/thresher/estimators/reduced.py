"""A meta-estimator that trains scikit-learn's own estimators on exactly reduced data: [MERGE]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from numbers import Real
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.svm import SVC, LinearSVC, LinearSVR
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher.estimators.base import checked
from thresher.estimators.classification import class_numbers
from thresher.problem import Intercept, Problem
from thresher.reduction import Reduction, merged, proven
from thresher.rows import as_rows
from thresher.rows.base import Floats


@dataclass(frozen=True)
class Plan:
    """What an estimator minimises, in the words of this package.

    ``constant`` is the value of the column whose weight is the penalised intercept: intercept_scaling.
    """

    classifies: bool
    intercept: Intercept
    constant: float = 1.0
    epsilon: float = 0.0

    def problem(self, X: Any, y: NDArray[Any], weights: Floats | None) -> Problem:
        """Return the problem of the same model."""
        rows, intercept = as_rows(X), self.intercept
        if intercept == "penalised" and self.constant != 1.0:
            rows, intercept = as_rows(rows.with_column(self.constant)), "none"
        if self.classifies:
            return Problem.svm(rows, y, sample_weight=weights, intercept=intercept)
        if self.epsilon == 0.0:
            return Problem.lad(rows, y, sample_weight=weights, intercept=intercept)
        return Problem.svr(rows, y, epsilon=self.epsilon, sample_weight=weights, intercept=intercept)


def _liblinear(estimator: Any, plan: Plan) -> Plan:
    if not estimator.fit_intercept:
        return plan
    return replace(plan, intercept="penalised", constant=float(estimator.intercept_scaling))


def _plan_of_linear_svc(estimator: LinearSVC) -> Plan:
    _require(estimator, loss="hinge", penalty="l2", multi_class="ovr")
    return _liblinear(estimator, Plan(True, "none"))


def _plan_of_linear_svr(estimator: LinearSVR) -> Plan:
    _require(estimator, loss="epsilon_insensitive")
    return _liblinear(estimator, Plan(False, "none", epsilon=float(estimator.epsilon)))


def _plan_of_svc(estimator: SVC) -> Plan:
    _require(estimator, kernel="linear")
    if estimator.probability is True:
        raise ValueError(
            "Reduced cannot wrap SVC(probability=True), which would calibrate on the reduced rows; "
            "use CalibratedClassifierCV(Reduced(SVC(kernel='linear')))"
        )
    return Plan(True, "free")


PLANS: dict[type, Callable[[Any], Plan]] = {
    LinearSVC: _plan_of_linear_svc,
    LinearSVR: _plan_of_linear_svr,
    SVC: _plan_of_svc,
}


def _require(estimator: Any, **wanted: str) -> None:
    """Refuse parameters that make another model."""
    for name, value in wanted.items():
        found = getattr(estimator, name)
        if found != value:
            raise ValueError(
                f"Reduced needs {type(estimator).__name__}({name}={value!r}), got {name}={found!r}: "
                "only losses with kinks, linear in between, can be reduced exactly"
            )


def plan_of(estimator: Any) -> Plan:
    """Return what ``estimator`` minimises, or say that it cannot be wrapped."""
    if type(estimator) not in PLANS:
        raise TypeError(
            "Reduced wraps scikit-learn's LinearSVC(loss='hinge'), SVC(kernel='linear') and LinearSVR, "
            f"got {type(estimator).__name__}"
        )
    return PLANS[type(estimator)](estimator)


def class_factors(estimator: Any, y: NDArray[Any], classes: NDArray[Any], weights: Floats | None) -> Floats:
    """Return the factor of every class, as the estimator itself would work it out from these rows."""
    options: dict[str, Any] = {}
    if isinstance(estimator, LinearSVC) and "sample_weight" in signature(compute_class_weight).parameters:
        options["sample_weight"] = weights  # LIBLINEAR's balance counts weights, LIBSVM's counts rows
    factors = compute_class_weight(estimator.class_weight, classes=classes, y=y, **options)
    return np.asarray(factors, dtype=np.float64)


def _inner_has(method: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), method)


class Reduced(MetaEstimatorMixin, BaseEstimator):
    """Train an estimator of scikit-learn on fewer rows, for the model of all rows.

    Rows are proven to lie on one side of the kink at the estimator's C; these are merged or left out, and the
    estimator is fit to the rest with weights: [MERGE]. Its model is the one it would find on all rows, up to
    its own tolerance.

    Parameters
    ----------
    estimator : LinearSVC(loss="hinge"), SVC(kernel="linear") or LinearSVR of scikit-learn
        What is to be trained; its C, weights of classes, intercept and epsilon are taken into account. Two
        classes; more by ``OneVsRestClassifier(Reduced(...))``.
    tol : float, default=1e-6
        Relative duality gap of the solution that the proofs come from. A looser one leaves more rows.
    verbose : int, default=0
        Whether to print how many rows are left.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    reduction_ : Reduction
        The data it was fit to, with ``kept``, ``row_of`` and ``share``.
    coef_, intercept_ : ndarray
        Those of ``estimator_``.
    classes_ : ndarray of shape (2,)
        Labels, of a classifier.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from thresher import Reduced
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> y = X[:, 0] + rng.normal(size=1000) > 0
    >>> model = Reduced(SVC(kernel="linear")).fit(X, y)
    >>> model.reduction_.share < 0.05, model.score(X, y) > 0.7
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "tol": [Interval(Real, 0.0, 1.0, closed="neither")],
        "verbose": ["verbose"],
    }

    def __init__(self, estimator: Any, *, tol: float = 1e-6, verbose: int = 0) -> None:
        self.estimator = estimator
        self.tol = tol
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Reduce the data, and fit the estimator to what is left.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Labels of two classes, or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self : Reduced
            The fitted model.
        """
        plan, begin = plan_of(self.estimator), perf_counter()
        inner = clone(self.estimator)
        inner._validate_params()
        X, targets, weights = checked(self, X, y, sample_weight, y_numeric=not plan.classifies)
        if plan.classifies:
            weights = self._with_class_weights(targets, weights)
            inner.set_params(class_weight=None)
        problem, C = plan.problem(X, targets, weights), float(inner.C)
        small = merged(problem, targets, weights, proven(problem, C, C, "auto", self.tol), (C, C))
        if problem.features > X.shape[1]:
            small = replace(small, X=small.X[:, : X.shape[1]])
        self._tell(small, perf_counter() - begin)
        self.estimator_ = inner.fit(small.X, small.y, sample_weight=small.sample_weight)
        self.reduction_ = small
        return self

    def _with_class_weights(self, y: NDArray[Any], weights: Floats | None) -> Floats | None:
        """Return the weights with the classes' factors, having looked at the classes."""
        classes, numbers = class_numbers(y)
        if classes.size > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}. "
                "Use OneVsRestClassifier(Reduced(...)), or OneVsOneClassifier(Reduced(...)) for an SVC."
            )
        self.classes_ = classes
        if self.estimator.class_weight is None:
            return weights
        factors: Floats = class_factors(self.estimator, y, classes, weights)[numbers]
        return factors if weights is None else factors * weights

    def _tell(self, small: Reduction, seconds: float) -> None:
        if self.verbose:
            print(
                f"[Reduced] {len(small.y)} of {small.row_of.size} rows left ({small.share:.2%}), "
                f"proven in {seconds:.2g} s"
            )

    @property
    def coef_(self) -> Any:
        """The weights of ``estimator_``."""
        return self.estimator_.coef_

    @property
    def intercept_(self) -> Any:
        """The intercept of ``estimator_``."""
        return self.estimator_.intercept_

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", reset=False)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return what ``estimator_`` predicts.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels or values.
        """
        X = self._checked(X)
        predictions: NDArray[Any] = self.estimator_.predict(X)
        return predictions

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores of ``estimator_``, positive for ``classes_[1]``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Scores.
        """
        X = self._checked(X)
        scores: NDArray[Any] = self.estimator_.decision_function(X)
        return scores

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of a classifier, R² of a regressor.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        score : float
            The score.
        """
        X = self._checked(X)
        score: float = self.estimator_.score(X, y, sample_weight=sample_weight)
        return score

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags, tags.input_tags.sparse = inner.target_tags, True
        if tags.classifier_tags is not None:
            tags.classifier_tags = replace(tags.classifier_tags, multi_class=False)
        return tags
