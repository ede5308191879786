"""The functions most users call: arrays in, path out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, Unpack

from numpy.typing import ArrayLike

from thresher.path import Path, solve_path
from thresher.problem import Intercept, Problem
from thresher.rules import Rule
from thresher.solution import Solution
from thresher.solvers import Solver


class Options(TypedDict, total=False):
    """What every path function passes on to `solve_path`."""

    rule: str | Rule
    solver: str | Solver
    tol: float
    callback: Callable[[Solution], None] | None
    start: Path | None


def svm_path(
    X: Any,
    y: ArrayLike,
    C: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    intercept: Intercept = "none",
    **options: Unpack[Options],
) -> Path:
    """Solve the support vector machine for every C; ``options`` as in `solve_path`.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (samples, features)
    y : labels of two classes, of any type; the larger one counts as +1
    C : values of C in any order, by default a grid chosen from the data
    sample_weight : weights, not negative
    intercept : "none" (the paper's model), "penalised" (as LIBLINEAR) or "free" (as LIBSVM)

    Examples
    --------
    >>> import thresher as th
    >>> path = th.svm_path([[2.0, 1.0], [-1.0, 0.5], [0.5, 0.3]], ["b", "a", "b"], C=[0.1, 1.0])
    >>> path.coef.shape
    (2, 2)
    """
    problem = Problem.svm(X, y, sample_weight=sample_weight, intercept=intercept)
    return solve_path(problem, C, **options)


def lad_path(
    X: Any,
    y: ArrayLike,
    C: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    intercept: Intercept = "none",
    **options: Unpack[Options],
) -> Path:
    """Solve least absolute deviations for every C; parameters as in `svm_path`, y numeric.

    Examples
    --------
    >>> import thresher as th
    >>> path = th.lad_path([[1.0], [2.0], [4.0]], [1.0, 2.0, 20.0], C=[100.0])
    >>> path.coef.round(6)
    array([[5.]])
    """
    problem = Problem.lad(X, y, sample_weight=sample_weight, intercept=intercept)
    return solve_path(problem, C, **options)


def quantile_path(
    X: Any,
    y: ArrayLike,
    C: ArrayLike | None = None,
    *,
    quantile: float = 0.5,
    sample_weight: ArrayLike | None = None,
    intercept: Intercept = "none",
    **options: Unpack[Options],
) -> Path:
    """Solve quantile regression for every C; parameters as in `svm_path`, y numeric.

    Examples
    --------
    >>> import thresher as th
    >>> path = th.quantile_path([[1.0], [1.0], [1.0]], [1.0, 2.0, 9.0], [100.0], quantile=0.9)
    >>> path.coef.round(6)
    array([[9.]])
    """
    problem = Problem.quantile(X, y, quantile=quantile, sample_weight=sample_weight, intercept=intercept)
    return solve_path(problem, C, **options)


def svr_path(
    X: Any,
    y: ArrayLike,
    C: ArrayLike | None = None,
    *,
    epsilon: float = 0.1,
    sample_weight: ArrayLike | None = None,
    intercept: Intercept = "none",
    **options: Unpack[Options],
) -> Path:
    """Solve epsilon-insensitive support vector regression for every C; y numeric.

    Examples
    --------
    >>> import thresher as th
    >>> path = th.svr_path([[1.0], [2.0]], [1.0, 2.0], C=[100.0], epsilon=0.5)
    >>> path.coef.round(6)  # the flattest line that passes within 0.5 of both
    array([[0.75]])
    """
    problem = Problem.svr(X, y, epsilon=epsilon, sample_weight=sample_weight, intercept=intercept)
    return solve_path(problem, C, **options)
