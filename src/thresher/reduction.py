"""Exact data reduction: fewer rows, with weights, that have the optimum of all: [MERGE]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import validation
from thresher.certificate import lifetimes
from thresher.fates import LOWER, UPPER, Fates
from thresher.path import solve_path
from thresher.problem import Intercept, Problem
from thresher.rows.base import Floats, Indices
from thresher.solution import Solution
from thresher.solvers import Solver

LossName = Literal["hinge", "absolute", "pinball", "insensitive"]

# Over an interval, solutions at this many values of C a decade hand the proofs on to each other.
PER_DECADE = 50
# The parameter that a loss has, and its value by default.
PARAMETERS = {"pinball": ("quantile", 0.5), "insensitive": ("epsilon", 0.1)}


@dataclass(frozen=True, eq=False)
class Reduction:
    """A smaller training set with the optimum of the full one, for every C of an interval.

    Attributes
    ----------
    X, y, sample_weight : array or sparse matrix, array, array
        The rows of the given data that are left, in their order, and below them the merged ones. X keeps
        its format and dtype, y its labels.
    kept : array of int
        Which rows of the given data are left: ``X[i]`` is row ``kept[i]``.
    row_of : array of int
        For every row given, the row of the reduced data that stands for it; -1 where none does, because
        its loss is proven zero or its weight is.
    C : tuple of float
        The interval, both ends included.
    """

    X: Any
    y: NDArray[Any]
    sample_weight: Floats
    kept: Indices
    row_of: Indices
    C: tuple[float, float]

    @property
    def share(self) -> float:
        """The rows that are left as a share of those given."""
        return len(self.y) / self.row_of.size


def reduce(
    X: Any,
    y: ArrayLike,
    C: float | tuple[float, float],
    loss: LossName = "hinge",
    *,
    quantile: float | None = None,
    epsilon: float | None = None,
    sample_weight: ArrayLike | None = None,
    intercept: Intercept = "none",
    solver: str | Solver = "auto",
    tol: float = 1e-6,
) -> Reduction:
    """Return a smaller training set with the same optimum: [MERGE].

    Rows proven to lie on one side of the kink are merged into one, their weighted mean, with the sum of
    their weights; those proven to have no loss are left out. Any solver for the same model that takes sample
    weights finds the full data's model there.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (samples, features)
    y : labels of two classes for the hinge, targets for the other losses
    C : one value, or the ends of an interval; it multiplies the sum of the losses
    loss : "hinge", "absolute", "pinball" or "insensitive"
    quantile, epsilon : the parameter of "pinball" (0.5 by default) and of "insensitive" (0.1)
    sample_weight : weights, not negative
    intercept : the one of the model to be trained: "none", "penalised" (LIBLINEAR) or "free" (LIBSVM)
    solver, tol : as in `solve_path`; a looser ``tol`` proves less, never anything wrong

    Examples
    --------
    >>> import numpy as np
    >>> import thresher as th
    >>> X, y = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 0, 1, 1]
    >>> small = th.reduce(X, y, C=0.1, intercept="free")
    >>> small.kept, small.X.ravel(), small.y, small.sample_weight
    (array([0, 5]), array([-3. ,  3. ,  0.5, -0.5]), array([0, 1, 1, 0]), array([1., 1., 2., 2.]))
    """
    low, high = _interval(C)
    problem = _problem(X, y, loss, {"quantile": quantile, "epsilon": epsilon}, sample_weight, intercept)
    fates = proven(problem, low, high, solver, tol)
    return merged(problem, y, sample_weight, fates, (low, high))


def merged(
    problem: Problem,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    fates: Fates,
    C: tuple[float, float],
) -> Reduction:
    """Return the data of ``problem`` with rows of the same fate in one, wherever the fates come from."""
    y = validation.per_sample(y, "y", problem.samples)
    y = y if problem.loss == "hinge" else validation.targets(y, problem.samples)
    weights = validation.sample_weights(sample_weight, problem.samples)
    weights = np.ones(problem.samples) if weights is None else weights
    side, gone = _sides(problem, fates, weights)
    groups = [rows for rows in (np.flatnonzero(side == one) for one in (1, -1)) if rows.size > 1]
    kept = _kept(problem, weights, gone, groups)
    totals = [float(weights[rows].sum()) for rows in groups]
    shares = [weights[rows] / total for rows, total in zip(groups, totals, strict=True)]
    means = [_mean(problem, *group) for group in zip(groups, shares, strict=True)]
    labels = [_label(problem, y[rows], share) for rows, share in zip(groups, shares, strict=True)]
    row_of = np.full(problem.samples, -1)
    row_of[kept] = np.arange(kept.size)
    for k, rows in enumerate(groups):
        row_of[rows] = kept.size + k
    return Reduction(
        problem.rows.extract(kept, np.array(means) if groups else None),
        np.concatenate([y[kept], np.array(labels, dtype=y.dtype)]),
        np.concatenate([weights[kept], totals]),
        kept,
        row_of,
        C,
    )


def proven(problem: Problem, low: float, high: float, solver: str | Solver, tol: float) -> Fates:
    """Return the fates that are proven for every C from ``low`` to ``high``: [LIFE], two-sided."""
    if low == high:
        return solve_path(problem, low, solver=solver, tol=tol)[0].fates
    steps = int(np.ceil(PER_DECADE * np.log10(high / low)))
    chain = _Chain(problem, low)
    solve_path(problem, np.geomspace(low, high, steps + 1), solver=solver, tol=tol, callback=chain.extend)
    return np.where(chain.reach > high, chain.fates, np.int8(0)).astype(np.int8)


class _Chain:
    """Fates proven from ``low`` up to ``reach``, which every solution carries further."""

    def __init__(self, problem: Problem, low: float) -> None:
        self.problem = problem
        self.fates: Fates = np.zeros(problem.size, dtype=np.int8)
        self.reach = np.full(problem.size, low)

    def extend(self, solution: Solution) -> None:
        """Add what a solution proves on either side of its C."""
        life = lifetimes(self.problem, solution.certificate)
        # A life that begins before the proof so far ends takes over from it: both intervals are open.
        joins = (
            (life.fates != 0) & (life.since < self.reach) & ((self.fates == 0) | (life.fates == self.fates))
        )
        self.fates[joins] = life.fates[joins]
        self.reach[joins] = np.maximum(self.reach[joins], life.until[joins])


def _problem(
    X: Any,
    y: ArrayLike,
    loss: LossName,
    parameters: dict[str, float | None],
    sample_weight: ArrayLike | None,
    intercept: Intercept,
) -> Problem:
    makers = {
        "hinge": Problem.svm,
        "absolute": Problem.lad,
        "pinball": Problem.quantile,
        "insensitive": Problem.svr,
    }
    if loss not in makers:
        raise ValueError(f"loss must be one of {', '.join(map(repr, makers))}, got {loss!r}")
    own, default = PARAMETERS.get(loss, (None, 0.0))
    for name, value in parameters.items():
        if value is not None and name != own:
            raise ValueError(f"{name} is no parameter of the loss {loss!r}; leave it out")
    given = {} if own is None else {own: default if parameters[own] is None else parameters[own]}
    make: Any = makers[loss]
    problem: Problem = make(X, y, sample_weight=sample_weight, intercept=intercept, **given)
    return problem


def _interval(C: float | tuple[float, float]) -> tuple[float, float]:
    """Return both ends of what was asked for."""
    values = validation.grid(C)
    if values.size > 2:
        raise ValueError(f"C must be one number or the two ends of an interval, got {values.size} numbers")
    if values[0] > values[-1]:
        raise ValueError(f"C must give the smaller end first, got ({values[0]:g}, {values[-1]:g})")
    return float(values[0]), float(values[-1])


def _sides(problem: Problem, fates: Fates, weights: Floats) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Return for every sample with which others it merges (1 or -1, else 0), and whether it can go."""
    if problem.loss == "hinge":
        side, gone = np.where(fates == UPPER, -np.sign(problem.scale), 0.0), fates == LOWER
    elif problem.loss == "insensitive":
        above, below = fates[: problem.samples], fates[problem.samples :]
        side = np.where(above == UPPER, 1.0, np.where(below == UPPER, -1.0, 0.0))
        gone = (above == LOWER) & (below == LOWER)
    else:
        side, gone = fates, np.zeros(problem.samples, dtype=np.bool_)
    counts = weights > 0.0
    return np.where(counts, side, 0.0).astype(np.int8), gone | ~counts


def _kept(problem: Problem, weights: Floats, gone: NDArray[np.bool_], groups: list[Indices]) -> Indices:
    """Return the samples that stay as they are.

    One sample without loss stays where a solver would find no row otherwise, or one class only.
    """
    stays, present = ~gone, ~gone
    for rows in groups:
        stays[rows] = False
    labels = np.broadcast_to(problem.scale if problem.loss == "hinge" else np.ones(1), problem.samples)
    for label in np.unique(labels):
        mates = np.flatnonzero((labels == label) & (weights > 0.0))
        if not present[mates].any():
            stays[mates[:1]] = True
    return np.flatnonzero(stays)


def _mean(problem: Problem, rows: Indices, shares: Floats) -> Floats:
    return problem.rows.image(np.ones(1, dtype=problem.scale.dtype), rows, shares, problem.features)


def _label(problem: Problem, y: NDArray[Any], shares: Floats) -> Any:
    """Return what the merged row is labelled with: the class, or the mean of the targets."""
    return y[0] if problem.loss == "hinge" else float(np.sum(shares * y))
