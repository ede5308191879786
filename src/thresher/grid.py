"""Where the path begins in closed form, and which values of C to visit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thresher.fates import FREE, Fates, Reduced, restore, restrict
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
    """The closed form w*(C) = C v with fixed theta, for every C up to ``C``: [START].

    ``undecided`` are the values of theta of the rows without offset, which have fate FREE.
    """

    problem: Problem
    fates: Fates
    undecided: Floats
    direction: Floats
    C: float

    def point_at(self, C: float) -> Point:
        """Return the certified point at ``C``, which must not exceed the origin's."""
        theta = theta_at(self.problem, self.fates, self.undecided)
        return self.problem.everything().certify(C * self.direction, theta, C)


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
    fates = np.broadcast_to(np.sign(problem.offsets).astype(np.int8), problem.size)
    undecided = np.empty(0)
    if not problem.offsets.all():
        undecided = _box_problem(restrict(problem, fates), solver)
    direction = problem.image(theta_at(problem, fates, undecided), 1.0)
    # One vector serves for all that follows: rows may be many.
    reach = problem.scores(direction)
    reach -= problem.offsets
    towards = (np.sign(reach) == -fates) & (fates != FREE) & (problem.lower < problem.upper)
    np.divide(problem.offsets, reach, out=reach, where=towards)
    np.abs(reach, out=reach)
    return Origin(problem, fates, undecided, direction, float(reach.min(initial=np.inf, where=towards)))


def theta_at(problem: Problem, fates: Fates, undecided: Floats) -> Floats:
    """Return theta over all rows: the bounds that fates name, ``undecided`` for the FREE ones."""
    theta = restore(problem, fates)
    theta[fates == FREE] = undecided
    return theta


def automatic(origin: Origin) -> Floats:
    """Return a geometric grid from the origin upward."""
    low, high = origin.C, origin.C * 10.0**DECADES
    if not np.isfinite(high):
        low, high = EMPTY_RANGE
    return np.geomspace(low, high, PER_DECADE * DECADES + 1)


def _box_problem(reduced: Reduced, solver: Solver) -> Floats:
    """Return theta of the rows without offset: the one that makes the direction shortest."""
    if not reduced.linear.any():
        return np.zeros(reduced.free.size)
    point = reduced.certify(reduced.problem.zero(), np.zeros(reduced.free.size), 1.0)
    # P is zero at w = 0 and at least -1/2 |g|^2 anywhere: that is the scale of its gap.
    point = replace(point, primal=0.5 * float(reduced.linear @ reduced.linear))
    return solver.solve(reduced, 1.0, Start(point, point.w, near=False), tol=BOX_TOLERANCE).theta
