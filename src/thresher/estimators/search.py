"""The search for C: one path for every fold, scored on the rows held out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import _fit_context, is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    process_routing,
)
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from thresher.estimators.base import Kind, LinearEstimator, Model, Training
from thresher.estimators.scores import NAMED, Scores, Scoring, r2
from thresher.grid import searched
from thresher.path import Path
from thresher.rows.base import Floats, Indices

# Scores within this share of the best count as ties: they differ by rounding.
TIE = 1e-12
# Held-out scores worked on at once, all values of C and classes together.
ENTRIES = 2**24


@dataclass(frozen=True, eq=False)
class CoefficientPath:
    """The models of a path, in the order of C, without the data: what a fitted estimator can carry along.

    Attributes
    ----------
    C, intercept, gap : ndarray of shape (n_Cs,)
        The values of C; the intercepts; proven bounds on the relative duality gaps.
    coef : ndarray of shape (n_Cs, n_features)
        One row of weights for every C.
    screened : ndarray of shape (n_Cs, 2)
        Shares of the rows proven below and above their kink before each solve.
    status : list of Status
        How each model came about.
    """

    C: Floats
    coef: NDArray[Any]
    intercept: NDArray[Any]
    gap: Floats
    screened: Floats
    status: list[Any]

    @classmethod
    def of(cls, path: Path, dtype: Any) -> CoefficientPath:
        """Return what is kept of a path."""
        coef, intercept = path.coef.astype(dtype), path.intercept.astype(dtype)
        return cls(path.C, coef, intercept, path.gap_bound, path.screened, path.status)


class Held(NamedTuple):
    """A fold: its number, the rows trained on, the rows held out, and what goes to the scorer with them."""

    number: int
    train: Indices
    test: Indices
    score_params: dict[str, Any]


class Outcome(NamedTuple):
    """What a fold tells: a score for every C, how many points missed ``tol``, the worst gap."""

    scores: Floats
    missed: int
    gap: float


class SearchC(LinearEstimator):
    """Cross-validation over C; goes before the class that says what the model is."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearEstimator._parameter_constraints,
        "Cs": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "one_se": ["boolean"],
        "refit": ["boolean"],
        "n_jobs": [None, Integral],
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
        max_iter: int = 10_000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.one_se = one_se
        self.refit = refit
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _default_scoring(self) -> Scoring:
        """Return what C is chosen by where ``scoring`` is None."""
        raise NotImplementedError

    def _at_one_C(self) -> LinearEstimator:
        """Return an estimator of the same model without search, for a scorer to look at."""
        raise NotImplementedError

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Choose C, and fit the model for it to all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples; every fold at work copies its part of them.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for the models and for the scores if the scorer takes them.
        **params : dict
            ``groups``, for the splitter; with metadata routing enabled, whatever splitter and scorer ask for.

        Returns
        -------
        self : object
            The fitted model.
        """
        _raise_for_params(params, self, "fit", allow=["groups"])
        if hasattr(self, "coef_"):
            del self.coef_  # of an earlier fit, which refit=False would leave
        data = self._prepare(X, y, sample_weight)
        routed = self._routed(data, sample_weight, params)
        self.Cs_ = self._grid(data)
        splitter = check_cv(self.cv, data.y, classifier=is_classifier(self))
        folds = [
            Held(number, train, test, _check_method_params(data.X, routed.scorer.score, indices=test))
            for number, (train, test) in enumerate(
                splitter.split(data.X, self._given_targets(data), **routed.splitter.split), start=1
            )
        ]
        outcomes = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._score_fold)(data, fold, len(folds)) for fold in folds
        )
        self.scores_ = np.array([outcome.scores for outcome in outcomes])
        self.C_ = chosen(self.Cs_, self.scores_, self.one_se)
        if self.verbose:
            print(f"[{type(self).__name__}] chose C={self.C_:g}")
        if self.refit:
            outcomes.append(self._refit(data))
        self._warn_of_paths(outcomes)
        return self

    # --- what is asked for

    def _scorer(self) -> Any:
        if self.scoring is None:
            return self._default_scoring().scorer
        return check_scoring(self, scoring=self.scoring)

    def _score_name(self) -> str:
        """Return what the scores are called in a picture."""
        if self.scoring is None:
            return self._default_scoring().name
        name = self.scoring if isinstance(self.scoring, str) else getattr(self.scoring, "__name__", "score")
        return name.replace("_", " ")

    def _scores_at_once(self, params: dict[str, Any]) -> Scores | None:
        """Return what scores all C at once, where there is such a thing."""
        if set(params) - {"sample_weight"}:
            return None
        if self.scoring is None:
            return self._default_scoring().at_once
        return NAMED.get(self.scoring) if isinstance(self.scoring, str) else None

    def _routed(self, data: Training, sample_weight: Any, params: dict[str, Any]) -> Bunch:
        """Return what goes to splitter and scorer besides the data."""
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=sample_weight, **params)
        score = {}
        if data.weights is not None:
            if takes_weights(self._scorer()):
                score["sample_weight"] = data.weights
            else:
                warnings.warn(
                    f"scoring={self.scoring!r} does not take sample_weight: "
                    "the models are fit with the weights and scored without them",
                    UserWarning,
                    stacklevel=4,
                )
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=score))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who gets which metadata: this estimator, the splitter, the scorer.

        Returns
        -------
        routing : MetadataRouter
            See scikit-learn's user guide on metadata routing.
        """
        to_scorer = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(scorer=self._scorer(), method_mapping=to_scorer)
        )

    def _grid(self, data: Training) -> Floats:
        """Return the values of C, in the order given."""
        if isinstance(self.Cs, Integral):
            return searched(self._problems(data), int(self.Cs))
        grid: Floats = check_array(self.Cs, ensure_2d=False, dtype=np.float64, input_name="Cs")
        if grid.ndim != 1 or (grid <= 0.0).any():
            raise ValueError(
                f"Cs must be a number of values, or a sequence of positive numbers, got {self.Cs!r}"
            )
        return grid

    # --- the folds

    def _score_fold(self, data: Training, fold: Held, folds: int) -> Outcome:
        """Return a score for every C of one fold."""
        begin = perf_counter()
        part = data.take(fold.train)
        classes = self._present(part)
        if classes is not None and classes.size < 2:
            raise ValueError(
                f"fold {fold.number} of cv trains on one class only "
                f"({self._given_targets(part).tolist()[0]!r}); use a stratified splitter, or fewer folds"
            )
        C, back = np.unique(self.Cs_, return_inverse=True)
        paths = [self._path(problem, C) for problem in self._problems(part, classes)]
        missed = sum(not status.met for path in paths for status in path.status)
        worst = max(float(path.gap_bound.max()) for path in paths)
        del part
        coef = np.stack([path.coef for path in paths], axis=1).astype(data.X.dtype)
        intercept = np.stack([path.intercept for path in paths], axis=1).astype(data.X.dtype)
        del paths
        scores = self._score_models(data, fold, coef, intercept, classes)[back]
        if self.verbose:
            best = int(np.argmax(scores))
            print(
                f"[{type(self).__name__}] fold {fold.number} of {folds}: {C.size} values of C in "
                f"{perf_counter() - begin:.2g} s, best score {scores[best]:.4g} at C={self.Cs_[best]:.3g}"
            )
        return Outcome(scores, missed, worst)

    def _score_models(
        self, data: Training, fold: Held, coef: NDArray[Any], intercept: NDArray[Any], classes: Indices | None
    ) -> Floats:
        """Return the score of every model, coef (Cs, problems, features) and intercept (Cs, problems)."""
        X, y = data.rows.extract(fold.test), data.y[fold.test]
        at_once = self._scores_at_once(fold.score_params)
        if at_once is None or (at_once is r2 and (y == y[0]).all()):
            return self._score_one_by_one(data, fold, X, coef, intercept, classes)
        weights = fold.score_params.get("sample_weight")
        step = max(1, ENTRIES // (len(y) * coef.shape[1]))
        pieces = []
        for start in range(0, len(coef), step):
            part = coef[start : start + step]
            flat = safe_sparse_dot(X, part.reshape(-1, part.shape[2]).T, dense_output=True)
            values = flat.reshape(len(y), *part.shape[:2]) + intercept[start : start + step]
            pieces.append(at_once(y, self._outcomes(values, classes), weights))
        return np.concatenate(pieces)

    def _score_one_by_one(
        self,
        data: Training,
        fold: Held,
        X: Any,
        coef: NDArray[Any],
        intercept: NDArray[Any],
        classes: Indices | None,
    ) -> Floats:
        """Show one model after the other to scikit-learn's or the user's scorer."""
        scorer, y = self._scorer(), self._given_targets(data)[fold.test]
        model = self._at_one_C()
        if classes is not None:
            model.classes_ = self.classes_[classes]
        model.n_features_in_ = X.shape[1]
        found = np.empty(len(coef))
        for k in range(len(coef)):
            one = slice(None) if classes is not None else 0
            model.coef_, model.intercept_ = coef[k][one], intercept[k][one]
            found[k] = scorer(model, X, y, **fold.score_params)
        return found

    # --- the result

    def _refit(self, data: Training) -> Outcome:
        """Solve the path on all samples, keep it, and take the model at the chosen C."""
        C = np.unique(self.Cs_)
        paths = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._path)(problem, C) for problem in self._problems(data)
        )
        place = int(np.searchsorted(C, self.C_))
        if self.verbose:
            for path in paths:
                self._say("all rows: ", path[place])
        self._keep([Model.of(path[place]) for path in paths], data.X.dtype)
        self.n_iter_ = max(sum(solution.iterations for solution in path) for path in paths)
        kept = [CoefficientPath.of(path, data.X.dtype) for path in paths]
        self.path_ = kept if len(kept) > 1 else kept[0]
        missed = sum(not status.met for path in paths for status in path.status)
        return Outcome(np.empty(0), missed, max(float(path.gap_bound.max()) for path in paths))

    def _scores(self, X: Any) -> Any:
        if hasattr(self, "C_") and not hasattr(self, "coef_"):
            raise NotFittedError(
                f"this {type(self).__name__} was fit with refit=False, which only finds C_; "
                f"fit {type(self._at_one_C()).__name__}(C={self.C_:g}), or use refit=True"
            )
        return super()._scores(X)

    def _warn_of_paths(self, outcomes: list[Outcome]) -> None:
        missed, worst = sum(outcome.missed for outcome in outcomes), max(outcome.gap for outcome in outcomes)
        if missed:
            warnings.warn(
                f"{type(self).__name__} did not reach tol={self.tol:g} at {missed} points of its paths, with "
                f"max_iter={self.max_iter}: the worst relative duality gap is {worst:.1e}. "
                "Raise max_iter or tol, or scale the columns.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def score(self, X: Any, y: ArrayLike, **params: Any) -> float:
        """Return the score by ``scoring``; without one, accuracy or R² as scikit-learn's estimators do.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Labels or targets.
        **params : dict
            ``sample_weight``; with metadata routing enabled, whatever the scorer asks for.

        Returns
        -------
        score : float
            The score; larger is better.
        """
        _raise_for_params(params, self, "score", allow=["sample_weight"])
        if self.scoring is None:
            score: float = super().score(X, y, **params)
            return score
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "score", **params).scorer.score
        return float(self._scorer()(self, X, y, **params))


def takes_weights(scorer: Callable[..., float]) -> bool:
    """Say whether a scorer has a use for sample_weight."""
    answer = getattr(scorer, "_accept_sample_weight", None)
    return bool(answer()) if answer is not None else "sample_weight" in signature(scorer).parameters


def chosen(C: Floats, scores: Floats, one_se: bool) -> float:
    """Return the smallest C among the best, or among those within one standard error of the best."""
    means = scores.mean(axis=0)
    if not np.isfinite(means).any():
        raise ValueError("no value of C has a finite score in every fold; look at scores_ and scoring")
    means = np.where(np.isnan(means), -np.inf, means)
    best = int(np.argmax(means))
    allowance = TIE * abs(means[best])
    if one_se:
        if len(scores) < 2:
            raise ValueError("one_se=True needs at least two folds, got 1; use one_se=False")
        allowance += scores[:, best].std(ddof=1) / np.sqrt(len(scores))
    return float(C[means >= means[best] - allowance].min())
