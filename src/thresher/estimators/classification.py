"""Support vector classification."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed

from thresher.estimators.base import POSITIVE, Kind, LinearEstimator, Training, checked
from thresher.problem import Problem
from thresher.rows.base import Floats, Indices


class Classifier(ClassifierMixin, LinearEstimator):
    """The hinge for two classes, and for more one class after the other against the rest."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearEstimator._parameter_constraints,
        "class_weight": [None, dict, StrOptions({"balanced"})],
        "n_jobs": [None, int],
    }

    class_weight: dict[Any, float] | str | None
    n_jobs: int | None
    classes_: NDArray[Any]

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Return the data with class numbers in place of labels."""
        X, y, weights = checked(self, X, y, sample_weight)
        self.classes_, numbers = class_numbers(y)
        data = Training.of(X, numbers, weights)
        if np.count_nonzero(self._sizes(data)) < 2:
            raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
        return data

    def _sizes(self, data: Training) -> Floats:
        """Return the total weight of every class."""
        return np.bincount(data.y, weights=data.weights, minlength=self.classes_.size).astype(np.float64)

    def _class_weights(self, data: Training) -> Floats:
        if self.class_weight == "balanced":
            # As scikit-learn's, but rows count by their weights: weight 2 is the same as giving a row twice.
            sizes = self._sizes(data)
            present = sizes > 0.0
            balanced = sizes.sum() / (np.count_nonzero(present) * np.where(present, sizes, 1.0))
            return np.where(present, balanced, 1.0)
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
        return np.asarray(weights, dtype=np.float64)

    def _present(self, data: Training) -> Indices:
        return np.flatnonzero(self._sizes(data))

    def _problems(self, data: Training, classes: Indices | None = None) -> list[Problem]:
        classes = np.arange(self.classes_.size) if classes is None else classes
        factors = self._class_weights(data)
        if classes.size == 2:
            return [self._against_rest(data, factors, classes[1])]
        # As in LIBLINEAR, a class is weighted where it is the positive one.
        numbers = np.arange(self.classes_.size)
        return [self._against_rest(data, np.where(numbers == one, factors, 1.0), one) for one in classes]

    def _against_rest(self, data: Training, factors: Floats, positive: int) -> Problem:
        weights = data.weights
        if (factors != 1.0).any():
            weights = factors[data.y] if weights is None else factors[data.y] * weights
        # Problem.svm asks for two classes; a class whose weights are zero leaves one, and a constant model.
        upper = np.ones(1) if weights is None else weights
        scale = np.where(data.y == positive, -1.0, 1.0)
        return Problem(data.rows, np.ones(1), np.zeros(1), upper, scale, self._intercept_kind, "hinge")

    def _given_targets(self, data: Training) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[data.y]
        return labels

    def _outcomes(self, scores: NDArray[Any], classes: Indices | None) -> NDArray[Any]:
        assert classes is not None
        return classes[winners(scores)]

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the signed distance to the margin's middle, in units of half the margin's width.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes one number a sample, positive for ``classes_[1]``; else one for every class.
        """
        scores: NDArray[Any] = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of every sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels as they were given to ``fit``.
        """
        wins = winners(self._scores(X))
        return self.classes_[wins]


def class_numbers(y: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    """Return the classes, two or more, and the number of every sample's."""
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            "This solver needs samples of at least 2 classes in the data, but the data contains only one "
            f"class: {classes.tolist()[0]!r}"
        )
    return classes, numbers


def winners(scores: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of the class that wins, for scores with the classes along the last axis."""
    if scores.shape[-1] == 1:
        return (scores[..., 0] > 0.0).astype(np.int64)
    return np.asarray(scores.argmax(axis=-1))


class LinearSVC(Classifier):
    """Linear support vector classification: hinge loss, exact, with proof.

    The model of scikit-learn's ``LinearSVC(loss="hinge")`` and, with the free intercept that is the default
    here, of ``SVC(kernel="linear")``. More than two classes are set one by one against the rest.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the sum of the losses against half the square of the weights.
    tol : float, default=1e-6
        Bound on the relative duality gap, which is proven; see ``dual_gap_``.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept : {"free", "penalised"}, default="free"
        What kind, where there is one: left alone by the penalty, as in LIBSVM, or penalised like the weight
        of a constant column, as in LIBLINEAR and scikit-learn's ``LinearSVC``.
    class_weight : dict, "balanced" or None, default=None
        Factors to the loss by class. With more than two classes a factor applies where its class is the
        positive one, as in LIBLINEAR.
    max_iter : int, default=10_000
        Limit of the solver's steps. With up to 500 columns (or rows), pivots of one working problem, of which
        there are a few; with more, epochs of coordinate descent and steps of
        conjugate gradients.
    n_jobs : int or None, default=None
        Classes solved at once, in threads that share the data; two classes are one problem.
    verbose : int, default=0
        Whether to print a line for every problem solved.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; float32 where X was.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts, 0 without one.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    support_ : ndarray of shape (n_support,)
        Rows with a say in any of the problems: at the kink with a coefficient, or beyond it.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Their coefficients: ``coef_ = dual_coef_ @ X[support_]`` up to the gap.
    dual_gap_ : float or ndarray of shape (n_classes,)
        Proven bound on the relative duality gap, every rounding counted against it.
    certificate_ : Certificate or list of Certificate
        What proves it, and where the exact optimum is.
    n_iter_ : int
        Steps of the solver, the largest number of all problems; 0 where the model is known in closed form.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had them.

    See Also
    --------
    LinearSVCCV : chooses C by cross-validation, from one path for every fold.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import LinearSVC
    >>> X = np.array([[-2.0, 0.0], [-1.0, 1.0], [1.0, -1.0], [2.0, 0.5]])
    >>> model = LinearSVC(C=1.0).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[-1.0, 0.0], [3.0, 0.0]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.coef_.round(6), model.support_
    (array([[ 0.6, -0.4]]), array([1, 2, 3]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Classifier._parameter_constraints,
        "C": [POSITIVE],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tol: float = 1e-6,
        fit_intercept: bool = True,
        intercept: Kind = "free",
        class_weight: dict[Any, float] | str | None = None,
        max_iter: int = 10_000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples; arrays of floats and CSR matrices are used in place.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; weight 2 is the same as giving a sample twice, weight 0 as leaving it out.

        Returns
        -------
        self : LinearSVC
            The fitted model.
        """
        data = self._prepare(X, y, sample_weight)
        problems = self._problems(data)
        names = [f"class {label!r}: " for label in self.classes_.tolist()] if len(problems) > 1 else [""]
        models = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._solve)(problem, float(self.C), name)
            for problem, name in zip(problems, names, strict=True)
        )
        self._keep(models, data.X.dtype)
        self._warn(models, self.C)
        return self
