"""Support vector, least absolute deviations and quantile regression."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval

from thresher.estimators.base import POSITIVE, Kind, LinearEstimator, Model, Training, checked
from thresher.problem import Problem
from thresher.rows.base import Indices


class Regressor(RegressorMixin, LinearEstimator):
    """One problem, one target."""

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Training:
        return Training.of(*checked(self, X, y, sample_weight, y_numeric=True))

    def _keep(self, models: list[Model], dtype: Any) -> None:
        super()._keep(models, dtype)
        self.coef_ = self.coef_[0]
        self.intercept_ = self.intercept_[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the prediction for every sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        predictions: NDArray[Any] = self._scores(X)
        return predictions


class AtOneC(Regressor):
    """A regressor for a given C."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Regressor._parameter_constraints,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        intercept: Kind = "free",
        max_iter: int = 10_000,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.max_iter = max_iter
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples; arrays of floats and CSR matrices are used in place.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; weight 2 is the same as giving a sample twice, weight 0 as leaving it out.

        Returns
        -------
        self : object
            The fitted model.
        """
        data = self._prepare(X, y, sample_weight)
        models = [self._solve(problem, float(self.C), "") for problem in self._problems(data)]
        self._keep(models, data.X.dtype)
        self._warn(models, self.C)
        return self


class Absolute(Regressor):
    """The absolute loss."""

    def _problems(self, data: Training, classes: Indices | None = None) -> list[Problem]:
        kind = self._intercept_kind
        return [Problem.lad(data.rows, data.y, sample_weight=data.weights, intercept=kind)]


class LADRegressor(Absolute, AtOneC):
    """Least absolute deviations: the linear model of the median, exact, with proof.

    An outlier's pull on it does not grow with the outlier's distance.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the sum of the losses against half the square of the weights.
    tol : float, default=1e-6
        Bound on the relative duality gap, which is proven; see ``dual_gap_``.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept : {"free", "penalised"}, default="free"
        What kind, where there is one: left alone by the penalty, or penalised like the weight of a constant
        column, as in LIBLINEAR.
    max_iter : int, default=10_000
        Limit of the solver's steps. With up to 500 columns (or rows), pivots of one working problem, of which
        there are a few; with more, epochs of coordinate descent.
    verbose : int, default=0
        Whether to print a line about the solve.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights; float32 where X was.
    intercept_ : float
        Intercept, 0 without one.
    support_ : ndarray of shape (n_support,)
        Rows with a coefficient: all but those at the kink where it is zero.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients: ``coef_ = dual_coef_ @ X[support_]`` up to the gap.
    dual_gap_ : float
        Proven bound on the relative duality gap, every rounding counted against it.
    certificate_ : Certificate
        What proves it, and where the exact optimum is.
    n_iter_ : int
        Steps of the solver; 0 where the model is known in closed form.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had them.

    See Also
    --------
    LADRegressorCV : chooses C by cross-validation, from one path for every fold.

    Examples
    --------
    >>> from thresher import LADRegressor
    >>> model = LADRegressor(C=100.0).fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 40.0])
    >>> model.predict([[4.0]]).round(6)
    array([4.])
    """


class Insensitive(Regressor):
    """The epsilon-insensitive loss."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    epsilon: float

    def _problems(self, data: Training, classes: Indices | None = None) -> list[Problem]:
        kind, width = self._intercept_kind, float(self.epsilon)
        if width == 0.0:  # the absolute loss, in half the rows
            return [Problem.lad(data.rows, data.y, sample_weight=data.weights, intercept=kind)]
        return [Problem.svr(data.rows, data.y, epsilon=width, sample_weight=data.weights, intercept=kind)]

    def _keep(self, models: list[Model], dtype: Any) -> None:
        super()._keep(models, dtype)
        self.intercept_ = np.atleast_1d(self.intercept_)  # as in scikit-learn's LinearSVR


class LinearSVR(Insensitive, AtOneC):
    """Linear support vector regression: epsilon-insensitive loss, exact, with proof.

    The model of scikit-learn's ``LinearSVR`` and, with the free intercept that is the default here, of
    ``SVR(kernel="linear")``.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube within which errors cost nothing, in units of y.
    C, tol, fit_intercept, intercept, max_iter, verbose
        As in `LADRegressor`.

    Attributes
    ----------
    intercept_ : ndarray of shape (1,)
        Intercept, 0 without one.
    support_ : ndarray of shape (n_support,)
        Rows at the edge of the tube with a coefficient, or outside it.
    coef_, dual_coef_, dual_gap_, certificate_, n_iter_, n_features_in_, feature_names_in_
        As in `LADRegressor`.

    See Also
    --------
    LinearSVRCV : chooses C by cross-validation, from one path for every fold.

    Examples
    --------
    >>> from thresher import LinearSVR
    >>> model = LinearSVR(epsilon=0.5, C=100.0).fit([[1.0], [2.0], [3.0]], [1.0, 2.5, 3.0])
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([0.5]), array([1.]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AtOneC._parameter_constraints,
        **Insensitive._parameter_constraints,
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        C: float = 1.0,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        intercept: Kind = "free",
        max_iter: int = 10_000,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            C=C, tol=tol, fit_intercept=fit_intercept, intercept=intercept, max_iter=max_iter, verbose=verbose
        )
        self.epsilon = epsilon


class Pinball(Regressor):
    """The pinball loss."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "quantile": [Interval(Real, 0.0, 1.0, closed="neither")],
    }

    quantile: float

    def _problems(self, data: Training, classes: Indices | None = None) -> list[Problem]:
        quantile, kind = float(self.quantile), self._intercept_kind
        return [
            Problem.quantile(data.rows, data.y, quantile=quantile, sample_weight=data.weights, intercept=kind)
        ]


class QuantileRegressor(Pinball, AtOneC):
    """Linear quantile regression: pinball loss, exact, with proof.

    The penalty is half the square of the weights. scikit-learn's ``QuantileRegressor`` has their absolute
    values instead, so the two differ where the penalty matters.

    Parameters
    ----------
    quantile : float, default=0.5
        The quantile that is modelled, strictly between 0 and 1.
    C, tol, fit_intercept, intercept, max_iter, verbose
        As in `LADRegressor`.

    Attributes
    ----------
    coef_, intercept_, support_, dual_coef_, dual_gap_, certificate_, n_iter_, n_features_in_, \
feature_names_in_
        As in `LADRegressor`.

    See Also
    --------
    QuantileRegressorCV : chooses C by cross-validation, from one path for every fold.

    Examples
    --------
    >>> from thresher import QuantileRegressor
    >>> model = QuantileRegressor(quantile=0.9).fit([[0.0]] * 11, range(11))
    >>> model.predict([[0.0]]).round(6)
    array([9.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AtOneC._parameter_constraints,
        **Pinball._parameter_constraints,
    }

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        C: float = 1.0,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        intercept: Kind = "free",
        max_iter: int = 10_000,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            C=C, tol=tol, fit_intercept=fit_intercept, intercept=intercept, max_iter=max_iter, verbose=verbose
        )
        self.quantile = quantile
