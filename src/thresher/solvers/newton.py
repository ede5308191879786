"""The fast exact solver: working sets, a semismooth Newton method, an active-set finish.

1. Predict w at the next C; rows that may reach their kink near it make up the working set, the others
   are held at the bound their predicted side names (an assumption, never a proof).
2. Semismooth Newton on the smoothed working problem (`loops.smooth`) brings w close and tells which
   rows stay at the kink.
3. Pivoting from there (`loops.pivot`) is exact up to rounding, whatever the scale of the columns.
4. The certificate over the free rows names those found on the wrong side; they join, and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from thresher.fates import Reduced
from thresher.loops.pivot import minimise
from thresher.loops.smooth import approach
from thresher.rows.base import Floats, Indices
from thresher.solvers.base import Answer, Start
from thresher.solvers.working import Working, working_problem

# A row may reach its kink when it is nearer to it than this multiple of the predicted change of scores
# (its own plus the mean one): less means more rounds, more means more rows.
REACH = 1.0
# The working set holds at least this many rows per dimension: fewer leave Newton steps without a stop.
BASE_ROWS = 10
# Rows that tell the mean change of scores and the distances from the kink.
SAMPLE = 256
# Multiplications in one compiled call at most, so that Ctrl-C is heard within a fraction of a second.
CALL_WORK = 5e8
# Where there is no prediction to go by and rows are more than MANY_ROWS per dimension, a sample of the
# free rows brings w close: one in SKETCH_SHARE, at least SKETCH_ROWS per dimension. Of all rows, those
# nearest to their kink are then worked on: a share of SKETCH_ERRORS times the sampling error
# sqrt(n / sample), at most SKETCH_KEEPS.
MANY_ROWS, SKETCH_SHARE, SKETCH_ROWS = 100, 16, 25
SKETCH_KEEPS, SKETCH_ERRORS = 0.15, 4.0
# When no more rows per dimension than this turn out to be on the wrong side, pivoting alone deals with
# them: the point is next to the optimum. More are smoothed first.
FEW_WRONG = 3.0
# When they are more than this share of the working set, it was too small, and its width grows by a factor.
MANY_WRONG, WIDEN = 0.25, 1.5
# The finish aims at this relative gap whatever tol is: it costs nothing there, and screening at the
# next C is as good as the certificate it starts from.
EXACT = 1e-14
# Smoothing stops where a step promises less than this share of what the finish neglects.
SMOOTH_EXACT = 1e-3
# Steps of a free intercept at most; one or two do, where the last one is too short to matter.
PROXIMAL_STEPS = 20
# Pivoting stalls after this many steps, and one a dimension, that lead nowhere: more rows meet in one
# kink than there are dimensions. The offsets are then pulled apart by this share of themselves.
IDLE_STEPS = 10
PERTURBATION = 1e-11


class Guess(NamedTuple):
    """A guess of w, the w to measure changes of scores from, and how near to their kink rows count."""

    w: Floats
    last: Floats
    width: float
    steps: int


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
        w, last, width, steps = self.guess(reduced, C, start, negligible)
        while True:
            answer = self.work(reduced, C, start, Guess(w, last, width, steps), negligible)
            if answer is not None:
                return answer
            # The set was too small to hold w, which ran away. Begin again from before with a larger one.
            width *= WIDEN

    def work(
        self, reduced: Reduced, C: float, start: Start, guess: Guess, negligible: float
    ) -> Answer | None:
        """Solve on the rows near their kink at the guess, and on those that turn out to be misplaced.

        Returns None where w left the region in which the choice of rows made sense.
        """
        places, values = start.kinks_among(reduced)
        chosen = np.zeros(reduced.free.size, dtype=np.bool_)
        chosen[places] = True
        theta, others = reduced.survey(guess.w, guess.last, REACH, guess.width, chosen)
        theta[places] = values
        w, steps, smooth = guess.w, guess.steps, True
        while True:
            rows = np.flatnonzero(chosen)
            w, theta[rows], taken = self.optimum(reduced, C, rows, others, w, theta[rows], smooth, negligible)
            steps += taken
            point = reduced.certify(w, theta, C)
            positions = reduced.positions_of(point.kinks)[0]
            wrong = positions[~chosen[positions]]
            if wrong.size == 0 or point.certificate.gap <= negligible:
                return Answer(w, theta, steps)
            smooth = wrong.size > FEW_WRONG * w.size
            if smooth and wrong.size > MANY_WRONG * rows.size:
                return None
            others -= reduced.image_of(theta, wrong)
            chosen[wrong] = True

    def optimum(
        self,
        reduced: Reduced,
        C: float,
        rows: Indices,
        others: Floats,
        w: Floats,
        theta: Floats,
        smooth: bool,
        negligible: float,
    ) -> tuple[Floats, Floats, int]:
        """Return w and theta at the optimum of the working problem on ``rows``, and the steps."""
        problem = working_problem(reduced, C, rows, others, w, 1.0, self.max_memory)
        inside, steps = problem.inside(w), 0
        if smooth:
            steps = come_close(problem, inside, theta, SMOOTH_EXACT * negligible)
        for _ in range(PROXIMAL_STEPS):
            steps += self.finish(problem, inside, theta, negligible)
            if problem.is_settled(inside, negligible):
                break
            w = problem.outside(inside)
            problem = problem.stepped(inside)
            inside = problem.inside(w)
        return problem.outside(inside), theta, steps

    def guess(self, reduced: Reduced, C: float, start: Start, negligible: float) -> Guess:
        """Predict w, or come close on a sample where there is nothing to predict from."""
        size, n = reduced.free.size, start.w.size
        if not start.near and size > MANY_ROWS * n:
            return self.sketch(reduced, C, start, negligible)
        positions = np.arange(0, size, max(1, size // SAMPLE))
        scores = reduced.scores(start.w, positions)
        change = np.abs(scores - reduced.scores(start.point.w, positions))
        mean = float(change.sum()) / max(change.size, 1)
        width = max(mean, nearest(scores, BASE_ROWS * n / max(size, 1)))
        return Guess(start.w, start.point.w, width, 0)

    def sketch(self, reduced: Reduced, C: float, start: Start, negligible: float) -> Guess:
        """Come close on a sample of the free rows, each standing for those left out."""
        size, n = reduced.free.size, start.w.size
        count = max(size // SKETCH_SHARE, SKETCH_ROWS * n)
        rows = np.sort(np.random.default_rng(0).choice(size, count, replace=False))
        problem = working_problem(
            reduced, C, rows, reduced.problem.zero(), start.w, size / count, self.max_memory
        )
        theta = reduced.bounds(reduced.scores(start.point.w, rows), rows) * (size / count)
        inside = problem.inside(start.w)
        steps = come_close(problem, inside, theta, SMOOTH_EXACT * negligible)
        kept = max(min(SKETCH_KEEPS, SKETCH_ERRORS * float(np.sqrt(n / count))), BASE_ROWS * n / size)
        w = problem.outside(inside)
        return Guess(w, w, nearest(reduced.scores(w, rows), kept), steps)

    def finish(self, problem: Working, w: Floats, theta: Floats, negligible: float) -> int:
        """Pivot to the optimum, w and theta in place; returns the pivots.

        Where ties stall it, the offsets are pulled apart, and the rows that end up at the kink lead the
        way to the optimum of the problem as it is.
        """
        total, best = 0, (np.inf, w, theta)
        for share in (0.0, PERTURBATION, 0.0):
            offsets = problem.perturbed(share, w) if share else problem.offsets
            patience = self.max_pivots if share else w.size + IDLE_STEPS
            steps, optimal = pivot(problem, offsets, w, theta, negligible, self.max_pivots, patience)
            total += steps
            if optimal and not share:
                return total
            best = min(best, (problem.gap(w, theta), w.copy(), theta.copy()), key=itemgetter(0))
        w[:], theta[:] = best[1], best[2]
        return total


def nearest(scores: Floats, share: float) -> float:
    """Return the distance from the kink within which ``share`` of the rows lie."""
    if share >= 1.0 or scores.size == 0:
        return np.inf
    distance = np.abs(scores)
    place = min(int(share * scores.size), scores.size - 1)
    return float(np.partition(distance, place)[place])


def calls(problem: Working) -> int:
    """Return how many steps one compiled call may take."""
    n, m = problem.A.shape
    return max(1, int(CALL_WORK / (m * n * (1 + n / 16) + 1)))


def come_close(problem: Working, w: Floats, theta: Floats, negligible: float) -> int:
    """Come close by smoothing, w and theta in place; returns the Newton steps."""
    total, done = 0, problem.offsets.size <= BASE_ROWS
    state = np.zeros(3)
    while not done:
        steps, done = approach(*problem.given(problem.offsets), w, theta, state, calls(problem), negligible)
        total += steps
    return total


def pivot(
    problem: Working,
    offsets: Floats,
    w: Floats,
    theta: Floats,
    negligible: float,
    limit: int,
    patience: int,
) -> tuple[int, bool]:
    """Pivot with ``offsets`` in place of the problem's; returns the steps, and whether all is done."""
    total = 0
    while True:
        allowed = min(calls(problem), limit - total)
        steps, optimal = minimise(*problem.given(offsets), w, theta, negligible, allowed, patience)
        total += steps
        if optimal or steps < allowed or total >= limit:
            return total, optimal
