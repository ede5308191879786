"""The fast exact solver: working sets, a semismooth Newton method, an active-set finish.

1. Predict scores at the next C; rows that may reach their kink make up the working set, the others are
   held at the bound their predicted side names (an assumption, never a proof).
2. Semismooth Newton on the smoothed working problem (`loops.smooth`) brings w close and tells which
   rows stay at the kink.
3. Pivoting from there (`solvers.active_set`) is exact up to rounding, whatever the scale of the columns.
4. One pass over the free rows: those found on the wrong side join the working set, and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from thresher.fates import Reduced
from thresher.loops.smooth import smooth
from thresher.rows.base import Floats, Indices
from thresher.solvers.active_set import minimise
from thresher.solvers.base import Answer, Start
from thresher.solvers.working import Working, working_problem

# A row may reach its kink when it is nearer to it than this multiple of the predicted change of scores
# (its own plus the mean one): less means more rounds, more means more rows.
REACH = 0.3
# The working set holds at least this many rows per dimension: fewer leave Newton steps without a stop.
BASE_ROWS = 5
# The first smoothing width takes in this many rows per dimension, or this share of all where that is
# more, and never less than this share of the mean distance from the kink.
SMOOTH_ROWS, SMOOTH_SHARE, LEAST_WIDTH = 10, 0.1, 1e-3
# What the width shrinks by in each round, how many rounds there are at least, and Newton steps in each.
# Fewer rounds leave rows to be sorted out by pivoting, which costs more.
SHRINK, ROUNDS, NEWTON_STEPS = 0.1, 4, 25
# Multiplications in one compiled call at most, so that Ctrl-C is heard within a fraction of a second.
CALL_WORK = 5e8
# Where there is no prediction to go by and rows are more than MANY_ROWS per dimension, a sample of the
# free rows brings w close: one in SKETCH_SHARE, at least SKETCH_ROWS per dimension. Of all rows, those
# nearest to their kink are then worked on: a share of SKETCH_ERRORS times the sampling error
# sqrt(n / sample), at most SKETCH_KEEPS.
MANY_ROWS, SKETCH_SHARE, SKETCH_ROWS = 100, 16, 25
SKETCH_KEEPS, SKETCH_ERRORS = 0.15, 4.0
# When no more rows per dimension than this turn out to be on the wrong side, pivoting alone deals with
# them: the point is next to the optimum.
FEW_WRONG = 3.0
# The finish aims at this relative gap whatever tol is: it costs nothing there, and screening at the
# next C is as good as the certificate it starts from.
EXACT = 1e-14
# Smoothing stops where a step promises less than this share of what the finish neglects.
SMOOTH_EXACT = 1e-3
# Pivoting stalls after this many steps, and one a dimension, that lead nowhere: more rows meet in one
# kink than there are dimensions. The offsets are then pulled apart by this share of themselves.
IDLE_STEPS = 10
PERTURBATION = 1e-11


@dataclass(frozen=True)
class Newton:
    """Semismooth Newton with an active-set finish; exact to rounding.

    Parameters
    ----------
    max_pivots : int
        Pivots per working problem after which the point is returned as it is.
    max_memory : float
        Bytes that the dense working rows may take.
    """

    max_pivots: int = 20_000
    max_memory: float = 4e9
    name: str = "newton"

    def solve(self, reduced: Reduced, C: float, start: Start, tol: float) -> Answer:
        """Return the optimal pair, up to rounding."""
        # P*(C) is at most this: P(w; C) grows no faster than C, for the w of the last point.
        level = start.point.primal * max(1.0, C / start.point.C)
        negligible = EXACT * max(level, float(np.finfo(np.float64).tiny))
        w, steps, far = start.w, 0, True
        if not start.near and reduced.free.size > MANY_ROWS * w.size:
            w, steps, kept = self.sketch(reduced, C, start, negligible)
            scores = reduced.scores(w)
            theta, working = reduced.bounds(scores), nearest(np.abs(scores), kept)
        else:
            scores, before = reduced.scores(w), reduced.scores(start.point.w)
            theta = start.theta(reduced, before)
            lower, upper = reduced.box()
            working = first_set(scores, before, (theta > lower) & (theta < upper), w.size)
        while True:
            rows = np.flatnonzero(working)
            values, theta = theta[rows], reduced.bounds(scores)
            theta[rows] = 0.0
            others = reduced.image_of(theta)
            problem = working_problem(reduced, C, rows, others, 1.0, self.max_memory)
            inside = problem.inside(w)
            before = values.copy()
            if far:
                steps += approach(problem, inside, values, SMOOTH_EXACT * negligible)
            steps += self.finish(problem, inside, values, negligible)
            found = reduced.scores(problem.outside(inside))
            wrong = np.where(scores > 0.0, found < 0.0, found > 0.0)
            wrong[rows] = False
            count = int(np.count_nonzero(wrong))
            # Many wrong rows: the set was too small to hold w, which ran away. Begin again from before.
            far = count > FEW_WRONG * w.size
            theta[rows] = before if far else values
            working |= wrong
            if not far:
                w, scores = problem.outside(inside), found
            if count == 0:
                return Answer(w, theta, steps)

    def sketch(self, reduced: Reduced, C: float, start: Start, negligible: float) -> tuple[Floats, int, int]:
        """Come close on a sample of the free rows, each standing for those left out.

        Returns w, the steps, and how many of the nearest rows to work on next.
        """
        size, n = reduced.free.size, start.w.size
        count = max(size // SKETCH_SHARE, SKETCH_ROWS * n)
        rows = np.sort(np.random.default_rng(0).choice(size, count, replace=False))
        problem = working_problem(reduced, C, rows, reduced.problem.zero(), size / count, self.max_memory)
        theta = reduced.bounds(reduced.scores(start.point.w, rows), rows) * (size / count)
        inside = problem.inside(start.w)
        steps = approach(problem, inside, theta, SMOOTH_EXACT * negligible)
        kept = min(SKETCH_KEEPS, SKETCH_ERRORS * float(np.sqrt(n / count))) * size
        return problem.outside(inside), steps, max(int(kept), BASE_ROWS * n)

    def finish(self, problem: Working, w: Floats, theta: Floats, negligible: float) -> int:
        """Pivot to the optimum, w and theta in place; returns the pivots.

        Where ties stall it, the offsets are pulled apart, and the rows that end up at the kink lead the
        way to the optimum of the problem as it is.
        """
        total, best = 0, (np.inf, w.copy(), theta.copy())
        for share in (0.0, PERTURBATION, 0.0):
            offsets = problem.perturbed(share, w) if share else problem.offsets
            patience = self.max_pivots if share else w.size + IDLE_STEPS
            order = by_interiority(problem, theta)
            steps, optimal = minimise(
                problem.given(offsets), w, theta, order, negligible, self.max_pivots, patience
            )
            total += steps
            if optimal and not share:
                return total
            best = min(best, (problem.gap(w, theta), w.copy(), theta.copy()), key=itemgetter(0))
        w[:], theta[:] = best[1], best[2]
        return total


def first_set(
    scores: Floats, before: Floats, at_kink: NDArray[np.bool_], dimension: int
) -> NDArray[np.bool_]:
    """Choose the rows that may reach their kink, the rows there now, and some more."""
    distance = np.abs(scores)
    change = np.abs(scores - before)
    mean = float(change.sum()) / max(change.size, 1)
    working: NDArray[np.bool_] = distance <= REACH * (change + mean)
    working |= at_kink
    if np.count_nonzero(working) < BASE_ROWS * dimension:
        working |= nearest(distance, BASE_ROWS * dimension)
    return working


def nearest(distance: Floats, count: int) -> NDArray[np.bool_]:
    """Mark the ``count`` rows of the smallest distance."""
    marked = np.ones(distance.size, dtype=np.bool_)
    if count < distance.size:
        marked[np.argpartition(distance, count)[count:]] = False
    return marked


def approach(problem: Working, w: Floats, theta: Floats, negligible: float) -> int:
    """Come close by smoothing, w and theta in place; returns the Newton steps."""
    m, n = problem.A.shape
    if m <= BASE_ROWS:
        return 0
    distance = np.abs(problem.scores(w))
    place = min(m - 1, max(SMOOTH_ROWS * n, int(SMOOTH_SHARE * m)))
    # Where that many rows lie at the kink already, the mean distance says what the scale is.
    width = max(float(np.partition(distance, place)[place]), LEAST_WIDTH * float(distance.mean()))
    if width == 0.0:
        return 0
    steps, given = 0, problem.given(problem.offsets)
    per_call = max(1, int(CALL_WORK / (m * n * (1 + n / 16))))
    for done in range(2 * ROUNDS):
        left, settled = NEWTON_STEPS, False
        while left > 0 and not settled:
            taken, settled = smooth(given, w, theta, width, min(left, per_call), negligible)
            left -= per_call
            steps += taken
        share = (problem.upper - problem.lower) * (problem.scores(w) / width)
        np.clip(theta + share, problem.lower, problem.upper, out=theta)
        inside = np.count_nonzero((theta > problem.lower) & (theta < problem.upper))
        # Every further round costs less than sorting out by pivoting more rows than fit at the kink.
        if done + 1 >= ROUNDS and inside <= n:
            break
        width *= SHRINK
    return steps


def by_interiority(problem: Working, theta: Floats) -> Indices:
    """Return the rows strictly inside their box, those furthest from its ends first."""
    inside = np.minimum(theta - problem.lower, problem.upper - theta)
    rows = np.flatnonzero(inside > 0.0)
    span = problem.upper[rows] - problem.lower[rows]
    order: Indices = rows[np.argsort(-inside[rows] / span)]
    return order
