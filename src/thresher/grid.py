"""Where the path begins in closed form, and which values of C to visit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thresher.fates import FREE, Fates, ReducedProblem
from thresher.ledger import Ledger
from thresher.loops.compiled import gamma
from thresher.problem import Problem
from thresher.rows.base import Floats, Indices
from thresher.solvers import Solver, Start

# A grid of our own: this many values a decade over this many decades from where the path begins.
PER_DECADE, DECADES = 20, 5
# ... or over these where the path never leaves its closed form (w = C v, v = 0).
EMPTY_RANGE = (1e-2, 1e3)
# Relative gap of the box problem of rows without offset; the point made of it is certified as any other.
BOX_TOLERANCE = 1e-12
# ... at this share of the C that leaves all other signs alone, for the intercept's sake.
SMALL = 1e-3


@dataclass(frozen=True, eq=False)
class Origin:
    """The closed form w*(C) = rest + C direction with fixed theta, for every C up to ``C``: [START].

    ``rest`` is zero but for a free intercept. ``ledger`` has the sides there, and ``undecided`` are the
    rows at the kink, without a side, with their ``theta``.
    """

    ledger: Ledger
    undecided: Indices
    theta: Floats
    rest: Floats
    direction: Floats
    C: float

    def w_at(self, C: float) -> Floats:
        """Return w at ``C``, optimal up to the origin's."""
        return self.rest + C * self.direction


def find_origin(problem: Problem, solver: Solver) -> Origin:
    """Return the closed-form start of the path.

    As C falls the scores tend to the offsets, whose signs then decide every fate; the path stays on
    that ray until the first row reaches its kink. Rows without offset form a box problem, for ``solver``.
    A free intercept tends to a weighted quantile, and the offsets are those from there.

    Examples
    --------
    >>> import thresher as th
    >>> problem = th.Problem.svm([[1.0], [-3.0]], [1, -1])
    >>> origin = find_origin(problem, th.solvers.Newton())
    >>> round(origin.C, 6), origin.direction  # w = C (1 + 3); the second row's score is 1 - 3 w
    (0.083333, array([4.]))
    """
    frame = problem.frame
    level, fates = resting_level(problem) if frame.is_free else (0.0, sign_of(problem.offsets))
    fates = np.ascontiguousarray(np.broadcast_to(fates, problem.size))
    rest = frame.joined(np.zeros_like(frame.weights(problem.zero())), level)
    ledger = Ledger(problem, fates.copy())
    reduced = ledger.restrict(fates)
    theta, drift = _box_problem(reduced, solver, rest) if reduced.free.size else (np.empty(0), 0.0)
    direction = frame.joined(-frame.image(ledger.image(reduced.free, theta)), drift)
    # One vector serves for all that follows: rows may be many.
    reach = problem.scores(direction)
    reach -= problem.offsets
    offsets = problem.offsets if level == 0.0 else problem.offsets + problem.scale * level
    towards = (np.sign(reach) == -fates) & (fates != FREE) & (problem.lower < problem.upper)
    np.divide(offsets, reach, out=reach, where=towards)
    np.abs(reach, out=reach)
    end = float(reach.min(initial=np.inf, where=towards))
    return Origin(ledger, reduced.free, theta, rest, direction, end)


def sign_of(values: Floats) -> Fates:
    """Return -1, 0 or 1 for every value."""
    return np.sign(values).astype(np.int8)


def resting_level(problem: Problem) -> tuple[float, Fates]:
    """Return the free intercept as C tends to zero, and the signs of the scores there: [FREE].

    Row i passes its kink at -o_i / a_i; the intercept rests where the slope of the loss changes sign, in
    the middle where it is zero for a while.
    """
    scale = np.broadcast_to(problem.scale, problem.size).astype(np.float64)
    offsets = np.broadcast_to(problem.offsets, problem.size)
    crossing = np.divide(-offsets, scale, out=np.zeros(problem.size), where=scale != 0.0)
    jumps = np.abs(scale) * (problem.upper - problem.lower)
    base = float(np.where(scale > 0.0, scale * problem.lower, scale * problem.upper).sum())
    moving = np.flatnonzero(jumps)
    order = moving[np.argsort(crossing[moving], kind="stable")]
    slopes = base + np.cumsum(jumps[order])
    rounding = gamma(problem.size + 8) * (abs(base) + float(jumps.sum()))
    place = int(np.searchsorted(slopes, -rounding))
    level = _middle(crossing[order], slopes, place, rounding, base)
    signs = np.where(scale == 0.0, offsets, np.sign(scale) * (level - crossing))
    return level, sign_of(signs)


def _middle(crossing: Floats, slopes: Floats, place: int, rounding: float, base: float) -> float:
    """Return the kink at ``place``, or the middle of the flat piece before or after it."""
    beyond = 1.0 + np.abs(crossing).max(initial=0.0)
    if base >= -rounding:
        return float(crossing[0] - beyond) if crossing.size else 0.0
    place = min(place, crossing.size - 1)
    if slopes[place] > rounding:
        return float(crossing[place])
    later = crossing[slopes > rounding]
    return float(0.5 * (crossing[place] + later[0])) if later.size else float(crossing[place] + beyond)


def automatic(origin: Origin) -> Floats:
    """Return a geometric grid from the origin upward."""
    low, high = origin.C, origin.C * 10.0**DECADES
    if not np.isfinite(high):
        low, high = EMPTY_RANGE
    return np.geomspace(low, high, PER_DECADE * DECADES + 1)


def _box_problem(reduced: ReducedProblem, solver: Solver, rest: Floats) -> tuple[Floats, float]:
    """Return theta of the rows at the kink, which makes the direction shortest, and the intercept's drift.

    As C tends to zero the known rows keep their signs, and the distance from ``rest`` is proportional to C:
    the solution at one small C tells all.
    """
    frame, free, theta = reduced.problem.frame, reduced.free, np.zeros(reduced.free.size)
    image = frame.image(reduced.ledger.image(free, theta))
    if not image.any():
        return theta, 0.0
    C = _small(reduced.problem, rest)
    point = reduced.certify(rest, free, theta, C)
    # The loss of the known rows is no measure of the gap: P is at least -1/2 |u|^2 without it.
    level = 0.5 * C**2 * float(image @ image)
    tol = BOX_TOLERANCE * min(level / point.primal, 1.0) if point.primal > 0.0 else BOX_TOLERANCE
    start = Start(replace(point, primal=level), frame.joined(-C * image, frame.level(rest)))
    answer = solver.solve(reduced, C, start, tol)
    theta[np.searchsorted(free, answer.rows)] = answer.theta
    return theta, (frame.level(answer.w) - frame.level(rest)) / C


def _small(problem: Problem, rest: Floats) -> float:
    """Return a C at which no row with a sign at ``rest`` can lose it, however theta is chosen."""
    norms, scores = problem.norms(), np.abs(problem.scores(rest))
    length = float(np.maximum(problem.upper, -problem.lower).max() * norms.sum())
    near = float(scores.min(initial=np.inf, where=scores > 0.0))
    most = length * float(norms.max())
    return SMALL * near / most if 0.0 < near / most < np.inf else SMALL
