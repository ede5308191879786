"""Where the path begins in closed form, and which values of C to visit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thresher.fates import LOWER, UPPER, Reduced, restrict
from thresher.point import Point
from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.solvers import Solver, Start

# A grid of our own: this many values a decade over this many decades from where the path begins.
PER_DECADE, DECADES = 20, 5
# ... or over these where the path never leaves its closed form (w = C v, v = 0).
EMPTY_RANGE = (1e-2, 1e3)
# Relative gap of the box problem of rows without offset; the point made of it is certified as any other.
BOX_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Origin:
    """The closed form w*(C) = C v with fixed theta, for every C up to ``C``: [START]."""

    problem: Problem
    C: float
    direction: Floats
    theta: Floats

    def point_at(self, C: float) -> Point:
        """Return the certified point at ``C``, which must not exceed the origin's."""
        return self.problem.everything().certify(C * self.direction, self.theta, C)


def find_origin(problem: Problem, solver: Solver) -> Origin:
    """Return the closed-form start of the path.

    As C falls the scores tend to the offsets, whose signs then decide every fate; the path stays on
    that ray until the first row reaches its kink. Rows without offset form a box problem, for ``solver``.

    Examples
    --------
    >>> import thresher as th
    >>> problem = th.Problem.svm([[1.0], [-3.0]], [1, -1])
    >>> origin = find_origin(problem, th.solvers.Newton())
    >>> round(origin.C, 6), origin.direction  # w = C (1 + 3); the second row's score is 1 - 3 w
    (0.083333, array([4.]))
    """
    offsets = np.broadcast_to(problem.offsets, problem.size)
    fates = np.sign(offsets).astype(np.int8)
    theta = np.where(fates == UPPER, problem.upper, np.where(fates == LOWER, problem.lower, 0.0))
    reduced = restrict(problem, fates)
    if reduced.free.size and reduced.linear.any():
        theta[reduced.free] = _box_problem(reduced, solver)
    direction = problem.image(theta, 1.0)
    drift = np.asarray(problem.scores(direction) - offsets)
    towards = (offsets * drift < 0.0) & (problem.lower < problem.upper)
    with np.errstate(divide="ignore"):
        reach = np.abs(offsets[towards] / drift[towards])
    return Origin(problem, float(reach.min(initial=np.inf)), direction, theta)


def automatic(origin: Origin) -> Floats:
    """Return a geometric grid from the origin upward."""
    low, high = origin.C, origin.C * 10.0**DECADES
    if not np.isfinite(high):
        low, high = EMPTY_RANGE
    return np.geomspace(low, high, PER_DECADE * DECADES + 1)


def _box_problem(reduced: Reduced, solver: Solver) -> Floats:
    """Return theta of the rows without offset: the one that makes the direction shortest."""
    point = reduced.certify(reduced.problem.zero(), np.zeros(reduced.free.size), 1.0)
    # P is zero at w = 0 and at least -1/2 |g|^2 anywhere: that is the scale of its gap.
    point = replace(point, primal=0.5 * float(reduced.linear @ reduced.linear))
    return solver.solve(reduced, 1.0, Start(point, point.w), tol=BOX_TOLERANCE).theta
