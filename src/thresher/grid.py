"""Where the path begins in closed form, and which values of C to visit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher import validation
from thresher.fates import FREE, Fates, ReducedProblem
from thresher.ledger import Ledger
from thresher.loops.compiled import gamma
from thresher.point import Point
from thresher.problem import Problem
from thresher.rows.base import Floats, Indices
from thresher.solvers import Solver, Start

# A grid of our own: this many values a decade over this many decades from where the path begins.
PER_DECADE, DECADES = 20, 5
# ... or over these where the path never leaves its closed form (w = C v, v = 0).
EMPTY_RANGE = (1e-2, 1e3)
# A search for C begins where this share of the rows has come to the kink (the first row alone may be an
# accident: near the median of the targets there is always one) and covers so many decades. On 14 public sets
# the best C lay 6 to 6e5 times above that with standardised columns, and within a standard error of it 1e4.
BENT, SEARCHED = 0.01, 6
# The box problem of rows without offset is solved to this share of tol.
BOX_SHARE = 0.01
# With more rows in it than this, the box problem of a free intercept costs more than a first solve without
# it: 0.09 s for the 45,137 rows of ijcnn1's larger class, where a fit at C = 1 then takes 0.035 s.
BOX_ROWS = 1000
# The path then begins at this share of the smallest C wanted, so that the first step counts as a jump.
BEGINNING = 0.25
# It is solved at this share of the C that leaves all other signs alone, for the intercept's sake.
SMALL = 1e-3


@dataclass(frozen=True, eq=False)
class Origin:
    """The closed form w*(C) = rest + C direction with fixed theta, for every C up to ``C``: [START].

    ``rest`` is zero but for a free intercept. ``ledger`` has the sides there, and ``undecided`` are the
    rows at the kink, without a side, with their ``theta``. Where the closed form is not worth its cost, ``C``
    lies below all that is wanted, ``direction`` is zero, and the origin is no more than a pair to begin from.
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

    def point_at(self, C: float) -> Point:
        """Return the certified point at ``C``, which must not exceed the origin's."""
        return self.ledger.certify(self.w_at(C), self.undecided, self.theta, C)


def find_origin(problem: Problem, solver: Solver, lowest: float, tol: float) -> Origin:
    """Return the closed-form start of a path on which no C below ``lowest`` is wanted.

    As C falls the scores tend to the offsets, whose signs then decide every fate; the path stays on
    that ray until the first row reaches its kink. Rows without offset form a box problem, for ``solver``.
    A free intercept tends to a weighted quantile, and the offsets are those from there. Where many rows
    then rest at the kink, or ``solver`` does not solve their box problem to ``tol``, it is left alone.

    Examples
    --------
    >>> import thresher as th
    >>> problem = th.Problem.svm([[1.0], [-3.0]], [1, -1])
    >>> origin = find_origin(problem, th.solvers.Newton(), lowest=0.01, tol=1e-6)
    >>> round(origin.C, 6), origin.direction  # w = C (1 + 3); the second row's score is 1 - 3 w
    (0.083333, array([4.]))
    """
    frame, (level, fates, rest) = problem.frame, _at_rest(problem)
    ledger = Ledger(problem, fates.copy())
    reduced = ledger.restrict(fates)
    begin = Origin(ledger, reduced.free, _evenly(reduced), rest, np.zeros_like(rest), BEGINNING * lowest)
    if reduced.free.size > BOX_ROWS and frame.is_free:
        return begin
    theta, drift = _box_problem(reduced, solver, rest, BOX_SHARE * tol)
    direction = frame.joined(-frame.image(ledger.image(reduced.free, theta)), drift)
    end = float(_limits(problem, fates, level, direction).min(initial=np.inf))
    if end < validation.SMALLEST:
        return begin
    origin = Origin(ledger, reduced.free, theta, rest, direction, end)
    if reduced.free.size and origin.point_at(min(end, max(lowest, 1.0))).gap_bound > tol:
        return begin
    return origin


def outset(problem: Problem, share: float = 0.0) -> float:
    """Return the C at which the path leaves its closed form, about, without solving anything.

    Exact but for rows without offset, each of which has a theta of its own in the closed form; here they
    all take the same share of their box, and a free intercept moves so that their mean stays at the kink.
    With a ``share``, the C at which that part of the rows that move towards their kink would have met it.
    """
    frame, (level, fates, _) = problem.frame, _at_rest(problem)
    reduced = Ledger(problem, fates.copy()).restrict(fates)
    direction = frame.joined(-frame.image(reduced.ledger.image(reduced.free, _evenly(reduced))), 0.0)
    if frame.is_free:
        direction[-1] += _drift(problem, fates, direction)
    limits = _limits(problem, fates, level, direction)
    if share == 0.0:
        return float(limits.min(initial=np.inf))
    order = np.argsort(limits)[: np.count_nonzero(np.isfinite(limits))]
    if order.size == 0:
        return np.inf
    weights = np.cumsum(np.broadcast_to(problem.upper - problem.lower, problem.size)[order])
    # A little less: where weights add up to the share exactly, rounding is not to decide.
    place = np.searchsorted(weights, share * weights[-1] * (1.0 - 1e-9))
    return float(limits[order[place]])


def _drift(problem: Problem, fates: Fates, direction: Floats) -> float:
    """Return how a free intercept moves where the rows at rest, or else all rows, keep their mean score."""
    weights = np.abs(problem.scale) * (problem.upper - problem.lower) * np.ones(problem.size)
    if (weights[fates == FREE] > 0.0).any():
        weights = np.where(fates == FREE, weights, 0.0)
    products = problem.products(direction)
    crossing = np.divide(products, problem.scale, out=np.zeros(problem.size), where=problem.scale != 0.0)
    return -float(np.average(crossing, weights=weights))


def _at_rest(problem: Problem) -> tuple[float, Fates, Floats]:
    """Return the intercept as C tends to zero, the signs of the scores, and w."""
    frame = problem.frame
    level, fates = resting_level(problem) if frame.is_free else (0.0, sign_of(problem.offsets))
    rest = frame.joined(np.zeros_like(frame.weights(problem.zero())), level)
    return level, np.ascontiguousarray(np.broadcast_to(fates, problem.size)), rest


def _evenly(reduced: ReducedProblem) -> Floats:
    """Return theta of the free rows: zero, or for a free intercept the same share of every box.

    The share is the one that makes sum a_i theta_i = 0.
    """
    problem, rows = reduced.problem, reduced.free
    if not problem.frame.is_free:
        return np.zeros(rows.size)
    scale = problem.own(problem.scale, rows)
    lower, upper = (problem.own(bound, rows) for bound in (problem.lower, problem.upper))
    first, last = np.where(scale < 0.0, upper, lower), np.where(scale < 0.0, lower, upper)
    room = float(scale @ (last - first))
    share = -float(reduced.known()[-1] + scale @ first) / room if room > 0.0 else 0.0
    return first + min(max(share, 0.0), 1.0) * (last - first)


def _limits(problem: Problem, fates: Fates, level: float, direction: Floats) -> Floats:
    """Return the C at which each row comes to its kink on the ray, infinity where it does not."""
    # One vector serves for all: rows may be many.
    reach = problem.products(direction)
    offsets = problem.offsets if level == 0.0 else problem.offsets_at(level)
    towards = (np.sign(reach) == -fates) & (fates != FREE) & (problem.lower < problem.upper)
    np.divide(offsets, reach, out=reach, where=towards)
    np.abs(reach, out=reach)
    reach[~towards] = np.inf
    return reach


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


def automatic(start: float, count: int = PER_DECADE * DECADES + 1, decades: int = DECADES) -> Floats:
    """Return a geometric grid of ``count`` values from ``start`` upward."""
    low, high = start, start * 10.0**decades
    if not np.isfinite(high):
        low, high = EMPTY_RANGE
    return np.geomspace(low, high, count)


def searched(problems: Sequence[Problem], count: int) -> Floats:
    """Return a grid to choose C from, the same for all ``problems``."""
    return automatic(min(outset(problem, BENT) for problem in problems), count, SEARCHED)


def _box_problem(reduced: ReducedProblem, solver: Solver, rest: Floats, tol: float) -> tuple[Floats, float]:
    """Return theta of the rows at the kink, which makes the direction shortest, and the intercept's drift.

    As C tends to zero the known rows keep their signs, and the distance from ``rest`` is proportional to C:
    the solution at one small C tells all.
    """
    frame, free, theta = reduced.problem.frame, reduced.free, np.zeros(reduced.free.size)
    image = frame.image(reduced.ledger.image(free, theta))
    if free.size == 0 or not image.any():
        return theta, 0.0
    C = _small(reduced.problem, rest)
    point = reduced.certify(rest, free, theta, C)
    # The loss of the known rows is no measure of the gap: P is at least -1/2 |u|^2 without it.
    level = 0.5 * C * C * float(image @ image)
    tol *= min(level / point.primal, 1.0) if point.primal > 0.0 else 1.0
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
