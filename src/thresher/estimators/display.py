"""Pictures of estimators, in the style of scikit-learn's displays; they need matplotlib (extra ``plot``)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from thresher.estimators.base import LinearEstimator
from thresher.estimators.search import CoefficientPath, SearchC
from thresher.grid import searched
from thresher.path import Path
from thresher.plot import draw_coefficients, draw_shares, pyplot, two_panels
from thresher.rows.base import Floats

# With more features than this, lines share colours and names are of no use.
MOST_NAMES = 10


class PathDisplay:
    """Coefficients, and shares of rows proven before each solve, along C.

    Make one with `from_estimator` or `from_path`.

    Parameters
    ----------
    C : ndarray of shape (n_Cs,)
        Values of C, in any order.
    coef : ndarray of shape (n_Cs, n_features)
        One row of weights for every C.
    screened : ndarray of shape (n_Cs, 2)
        Shares of the rows proven LOWER and UPPER.
    feature_names : sequence of str or None, default=None
        Names for the legend.

    Attributes
    ----------
    axes_ : ndarray of shape (2,)
        The axes drawn in, coefficients first.
    figure_ : Figure
        Their figure.
    lines_ : list of Line2D
        One line a feature.

    Examples
    --------
    >>> import thresher as th
    >>> path = th.svm_path([[2.0, 1.0], [-1.0, 0.5], [0.5, 0.3]], [1, -1, 1])
    >>> display = th.PathDisplay.from_path(path)
    >>> len(display.lines_)
    2
    """

    def __init__(
        self,
        *,
        C: Floats,
        coef: NDArray[Any],
        screened: Floats,
        feature_names: ArrayLike | None = None,
    ) -> None:
        self.C = C
        self.coef = coef
        self.screened = screened
        self.feature_names = feature_names

    def plot(self, ax: Any = None, *, line_kw: dict[str, Any] | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : two matplotlib Axes, default=None
            Where to draw coefficients and shares; by default in a new figure.
        line_kw : dict, default=None
            Keywords for the coefficients' lines.

        Returns
        -------
        self : PathDisplay
            With ``axes_``, ``figure_`` and ``lines_``.
        """
        self.axes_ = np.asarray(two_panels() if ax is None else ax)
        if self.axes_.shape != (2,):
            raise ValueError("ax must be two axes, one for the coefficients and one for the shares")
        top, bottom = self.axes_
        order = np.argsort(self.C)
        self.lines_ = draw_coefficients(top, self.C[order], self.coef[order], **(line_kw or {}))
        draw_shares(bottom, self.C[order], self.screened[order])
        names = [] if self.feature_names is None else np.asarray(self.feature_names).tolist()
        if 0 < len(names) <= MOST_NAMES:
            top.legend(self.lines_, names, loc="center left", bbox_to_anchor=(1.0, 0.5))
        self.figure_ = top.figure
        return self

    @classmethod
    def from_path(cls, path: Path | CoefficientPath, ax: Any = None, **kwargs: Any) -> Self:
        """Draw a path: a `Path`, or the ``path_`` of a fitted CV estimator.

        Parameters
        ----------
        path : Path or CoefficientPath
            What to draw; for more than two classes one of the list ``path_``.
        ax : two matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        **kwargs : dict
            ``feature_names``, and keywords of `plot`.

        Returns
        -------
        display : PathDisplay
            The picture.
        """
        names = kwargs.pop("feature_names", None)
        return cls(C=path.C, coef=path.coef, screened=path.screened, feature_names=names).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: LinearEstimator,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        Cs: int | ArrayLike = 100,
        target: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Solve the path of an estimator's model, and draw it; the estimator is left as it is.

        Parameters
        ----------
        estimator : estimator of this package
            Fitted or not; its C does not matter.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        Cs : int or array-like, default=100
            Values of C, or how many, as in `LinearSVCCV`.
        target : label, default=None
            The class that is set against the rest, where there are more than two.
        ax : two matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        **kwargs : dict
            Keywords of `plot`.

        Returns
        -------
        display : PathDisplay
            The picture.
        """
        if not isinstance(estimator, LinearEstimator):
            raise TypeError(f"estimator must be one of this package's, got {type(estimator).__name__}")
        model = clone(estimator)
        problems = model._problems(model._prepare(X, y, sample_weight))
        problem = problems[position_of(target, model, len(problems))]
        C = searched([problem], Cs) if isinstance(Cs, int) else np.asarray(Cs, dtype=np.float64)
        return cls.from_path(
            model._path(problem, C), ax, feature_names=getattr(model, "feature_names_in_", None), **kwargs
        )


def position_of(target: Any, model: LinearEstimator, problems: int) -> int:
    """Return which problem sets class ``target`` against the rest."""
    if problems == 1:
        if target is not None:
            raise ValueError(f"target={target!r} is for more than two classes; leave it out")
        return 0
    labels: list[Any] = model.classes_.tolist()
    if target not in labels:
        raise ValueError(f"target must be one of the classes {labels}, got {target!r}")
    return labels.index(target)


class CVDisplay:
    """Scores of cross-validation along C: their mean, a band of one standard error, the chosen C.

    Make one with `from_estimator`.

    Parameters
    ----------
    C : ndarray of shape (n_Cs,)
        Values of C, in any order.
    scores : ndarray of shape (n_folds, n_Cs)
        Scores on the rows held out.
    C_chosen : float
        The C that was chosen.
    score_name : str, default="score"
        What the scores are.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        Where it is drawn.
    line_, fill_between_, chosen_ : Line2D, PolyCollection, Line2D
        The mean, the band (None with a single fold), the chosen C.

    Examples
    --------
    >>> import numpy as np
    >>> import thresher as th
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> display = th.CVDisplay.from_estimator(th.LADRegressorCV(Cs=10).fit(X, X[:, 0]))
    >>> display.ax_.get_ylabel()
    'neg mean absolute error'
    """

    def __init__(self, *, C: Floats, scores: Floats, C_chosen: float, score_name: str = "score") -> None:
        self.C = C
        self.scores = scores
        self.C_chosen = C_chosen
        self.score_name = score_name

    def plot(
        self,
        ax: Any = None,
        *,
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        line_kw, fill_between_kw : dict, default=None
            Keywords for the line of means and for the band.

        Returns
        -------
        self : CVDisplay
            With ``ax_``, ``figure_``, ``line_``, ``fill_between_`` and ``chosen_``.
        """
        axes = pyplot().subplots(layout="constrained")[1] if ax is None else ax
        order = np.argsort(self.C)
        C, scores = self.C[order], self.scores[:, order]
        mean, folds = scores.mean(axis=0), len(scores)
        (self.line_,) = axes.plot(C, mean, **{"label": f"mean of {folds} folds", **(line_kw or {})})
        self.fill_between_ = None
        if folds > 1:
            error = scores.std(axis=0, ddof=1) / np.sqrt(folds)
            band = {
                "alpha": 0.25,
                "linewidth": 0.0,
                "label": "± one standard error",
                **(fill_between_kw or {}),
            }
            band.setdefault("color", self.line_.get_color())
            self.fill_between_ = axes.fill_between(C, mean - error, mean + error, **band)
        self.chosen_ = axes.axvline(
            self.C_chosen, color="0.3", linestyle="--", linewidth=1.0, label=f"C = {self.C_chosen:.3g}"
        )
        axes.set(xlabel="C", ylabel=self.score_name, xscale="log")
        axes.legend(loc="best")
        self.ax_, self.figure_ = axes, axes.figure
        return self

    @classmethod
    def from_estimator(cls, estimator: SearchC, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the search of a fitted CV estimator.

        Parameters
        ----------
        estimator : LinearSVCCV, LinearSVRCV, LADRegressorCV or QuantileRegressorCV
            Fitted; needs no data.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        **kwargs : dict
            ``score_name``, and keywords of `plot`.

        Returns
        -------
        display : CVDisplay
            The picture.
        """
        if not isinstance(estimator, SearchC):
            raise TypeError(
                f"estimator must be one of this package's CV classes, got {type(estimator).__name__}"
            )
        check_is_fitted(estimator)
        name = kwargs.pop("score_name", None) or estimator._score_name()
        found = cls(C=estimator.Cs_, scores=estimator.scores_, C_chosen=estimator.C_, score_name=name)
        return found.plot(ax, **kwargs)
