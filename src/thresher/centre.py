"""A free intercept that is not unique: the middle of all that are optimal, as LIBSVM takes it.

A row strictly inside its box stays at the kink and holds the intercept. Without one the optimal intercepts
are an interval, in which a solver may stop anywhere: predictions would depend on the way it came.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.solution import Solution

# theta within this share of its box from a bound counts as at the bound: it is known no better.
AT_BOUND = 1e-9


def centred(solution: Solution, tol: float) -> Solution:
    """Return the solution with its free intercept in the middle, if that is optimal to ``tol`` as well.

    Examples
    --------
    >>> import thresher as th
    >>> path = th.lad_path([[0.0], [0.0]], [1.0, 5.0], [1.0], intercept="free")
    >>> centred(path[0], tol=1e-6).intercept
    3.0
    """
    problem, point = solution.problem, solution.point
    if not problem.frame.is_free or _held(problem, solution):
        return solution
    low, high = _room(problem, point.w, solution.theta)
    if not (np.isfinite(low) and np.isfinite(high)):
        return solution
    w = point.w.copy()
    w[-1] += 0.5 * (low + high)
    moved = problem.everything().certify(w, np.arange(problem.size), solution.theta, solution.C)
    return replace(solution, point=moved) if moved.gap_bound <= tol else solution


def _held(problem: Problem, solution: Solution) -> bool:
    """Say whether a row strictly inside its box holds the intercept; all such rows are at the kink."""
    rows, theta = solution.point.kinks, solution.point.theta
    lower, upper = (problem.own(bound, rows) for bound in (problem.lower, problem.upper))
    slack = AT_BOUND * (upper - lower)
    inside = (theta > lower + slack) & (theta < upper - slack) & (problem.own(problem.scale, rows) != 0.0)
    return bool(inside.any())


def _room(problem: Problem, w: Floats, theta: Floats) -> tuple[float, float]:
    """Return how far the intercept may move down and up before a row leaves the side of its theta."""
    counts = np.broadcast_to(problem.lower < problem.upper, problem.size)
    side = np.where(2.0 * theta > problem.lower + problem.upper, 1.0, -1.0)
    reserve, slope = side * problem.scores(w), side * problem.scale
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = -reserve / slope
    low = float(limits.max(initial=-np.inf, where=counts & (slope > 0.0)))
    high = float(limits.min(initial=np.inf, where=counts & (slope < 0.0)))
    return min(low, 0.0), max(high, 0.0)
