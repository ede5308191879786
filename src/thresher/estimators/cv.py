"""The estimators that choose C by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike
from sklearn.metrics import get_scorer, make_scorer, mean_pinball_loss

from thresher.estimators.base import Kind, LinearEstimator
from thresher.estimators.classification import Classifier, LinearSVC
from thresher.estimators.regression import (
    Absolute,
    Insensitive,
    LADRegressor,
    LinearSVR,
    Pinball,
    QuantileRegressor,
)
from thresher.estimators.scores import Scoring, absolute, accuracy, pinball_of, r2
from thresher.estimators.search import SearchC


class LinearSVCCV(SearchC, Classifier):
    """`LinearSVC` with C chosen by cross-validation: one path for every fold.

    With more than two classes all have the same C, the one at which their joint predictions score best.

    Parameters
    ----------
    Cs : int or array-like, default=100
        Values of C to choose from. A number asks for that many in equal ratios over six decades, from about
        where the path of all samples begins to bend.
    cv : int, cross-validation generator or iterable, default=None
        Splitter, as everywhere in scikit-learn; None is five folds, stratified for classes.
    scoring : str, callable or None, default=None
        What C is chosen by, larger being better. None is the accuracy.
    one_se : bool, default=False
        Take the smallest C whose mean score is within one standard error of the best, and not the best.
    refit : bool, default=True
        Fit the model with the chosen C to all samples; without that there is ``C_``, but no predictions.
    tol, fit_intercept, intercept, class_weight, max_iter, verbose
        As in `LinearSVC`; class weights are worked out for each fold.
    n_jobs : int or None, default=None
        Folds at work at once, in threads; each copies its part of the data.

    Attributes
    ----------
    C_ : float
        The chosen C; the smallest, where several are equally good.
    Cs_ : ndarray of shape (n_Cs,)
        The values of C.
    scores_ : ndarray of shape (n_folds, n_Cs)
        Scores on the rows held out.
    path_ : CoefficientPath or list of CoefficientPath
        The path of all samples, a list of one for every class if there are more than two.
    n_iter_ : int
        Steps of the solver along the path of all samples, the largest number of all classes.
    coef_, intercept_, classes_, support_, dual_coef_, dual_gap_, certificate_, n_features_in_, \
feature_names_in_
        As in `LinearSVC`, at ``C_``.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import LinearSVCCV
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = y[:, None] + rng.normal(size=(100, 3))
    >>> model = LinearSVCCV(Cs=20, one_se=True).fit(X, y)
    >>> model.scores_.shape, model.path_.coef.shape
    ((5, 20), (20, 3))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        **SearchC._parameter_constraints,
    }

    def __init__(
        self,
        *,
        Cs: int | ArrayLike = 100,
        cv: Any = None,
        scoring: Any = None,
        one_se: bool = False,
        refit: bool = True,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        intercept: Kind = "free",
        class_weight: dict[Any, float] | str | None = None,
        max_iter: int = 10_000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            Cs=Cs,
            cv=cv,
            scoring=scoring,
            one_se=one_se,
            refit=refit,
            tol=tol,
            fit_intercept=fit_intercept,
            intercept=intercept,
            max_iter=max_iter,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def _default_scoring(self) -> Scoring:
        return Scoring("accuracy", get_scorer("accuracy"), accuracy)

    def _at_one_C(self) -> LinearEstimator:
        return LinearSVC()


class LADRegressorCV(SearchC, Absolute):
    """`LADRegressor` with C chosen by cross-validation: one path for every fold.

    Parameters
    ----------
    scoring : str, callable or None, default=None
        What C is chosen by, larger being better. None is minus the mean absolute error.
    Cs, cv, one_se, refit, tol, fit_intercept, intercept, max_iter, n_jobs, verbose
        As in `LinearSVCCV`.

    Attributes
    ----------
    C_, Cs_, scores_, path_, n_iter_
        As in `LinearSVCCV`.
    coef_, intercept_, support_, dual_coef_, dual_gap_, certificate_, n_features_in_, feature_names_in_
        As in `LADRegressor`, at ``C_``.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import LADRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = X[:, 0] + rng.standard_t(2, size=100)
    >>> model = LADRegressorCV(cv=3).fit(X, y)
    >>> model.scores_.shape, bool(model.dual_gap_ <= model.tol)
    ((3, 100), True)
    """

    def _default_scoring(self) -> Scoring:
        return Scoring("neg mean absolute error", get_scorer("neg_mean_absolute_error"), absolute)

    def _at_one_C(self) -> LinearEstimator:
        return LADRegressor()


class LinearSVRCV(SearchC, Insensitive):
    """`LinearSVR` with C chosen by cross-validation: one path for every fold.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube within which errors cost nothing, in units of y.
    scoring : str, callable or None, default=None
        What C is chosen by, larger being better. None is R².
    Cs, cv, one_se, refit, tol, fit_intercept, intercept, max_iter, n_jobs, verbose
        As in `LinearSVCCV`.

    Attributes
    ----------
    C_, Cs_, scores_, path_, n_iter_
        As in `LinearSVCCV`.
    coef_, intercept_, support_, dual_coef_, dual_gap_, certificate_, n_features_in_, feature_names_in_
        As in `LinearSVR`, at ``C_``.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import LinearSVRCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> model = LinearSVRCV(epsilon=0.1, Cs=[0.01, 0.1, 1.0]).fit(X, X[:, 0])
    >>> model.C_
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchC._parameter_constraints,
        **Insensitive._parameter_constraints,
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        Cs: int | ArrayLike = 100,
        cv: Any = None,
        scoring: Any = None,
        one_se: bool = False,
        refit: bool = True,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        intercept: Kind = "free",
        max_iter: int = 10_000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            Cs=Cs,
            cv=cv,
            scoring=scoring,
            one_se=one_se,
            refit=refit,
            tol=tol,
            fit_intercept=fit_intercept,
            intercept=intercept,
            max_iter=max_iter,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.epsilon = epsilon

    def _default_scoring(self) -> Scoring:
        return Scoring("R²", get_scorer("r2"), r2)

    def _at_one_C(self) -> LinearEstimator:
        return LinearSVR(epsilon=self.epsilon)


class QuantileRegressorCV(SearchC, Pinball):
    """`QuantileRegressor` with C chosen by cross-validation: one path for every fold.

    Parameters
    ----------
    quantile : float, default=0.5
        The quantile that is modelled, strictly between 0 and 1.
    scoring : str, callable or None, default=None
        What C is chosen by, larger being better. None is minus the mean pinball loss at ``quantile``.
    Cs, cv, one_se, refit, tol, fit_intercept, intercept, max_iter, n_jobs, verbose
        As in `LinearSVCCV`.

    Attributes
    ----------
    C_, Cs_, scores_, path_, n_iter_
        As in `LinearSVCCV`.
    coef_, intercept_, support_, dual_coef_, dual_gap_, certificate_, n_features_in_, feature_names_in_
        As in `QuantileRegressor`, at ``C_``.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import QuantileRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(500, 1))
    >>> y = X[:, 0] * rng.uniform(size=500)
    >>> model = QuantileRegressorCV(quantile=0.9).fit(X, y)
    >>> bool(abs(np.mean(y <= model.predict(X)) - 0.9) < 0.01)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchC._parameter_constraints,
        **Pinball._parameter_constraints,
    }

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        Cs: int | ArrayLike = 100,
        cv: Any = None,
        scoring: Any = None,
        one_se: bool = False,
        refit: bool = True,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        intercept: Kind = "free",
        max_iter: int = 10_000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            Cs=Cs,
            cv=cv,
            scoring=scoring,
            one_se=one_se,
            refit=refit,
            tol=tol,
            fit_intercept=fit_intercept,
            intercept=intercept,
            max_iter=max_iter,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.quantile = quantile

    def _default_scoring(self) -> Scoring:
        quantile = float(self.quantile)
        scorer = make_scorer(mean_pinball_loss, greater_is_better=False, alpha=quantile)
        return Scoring(f"neg pinball loss at {quantile:g}", scorer, pinball_of(quantile))

    def _at_one_C(self) -> LinearEstimator:
        return QuantileRegressor(quantile=self.quantile)
