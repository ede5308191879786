"""The fast exact solver: working sets, a semismooth Newton method, an active-set finish.

Where the path was followed so far:

1. Predict w at the next C; rows that may reach their kink near it make up the working set, the others
   are held at the bound their predicted side names (an assumption, never a proof).
2. Semismooth Newton on the smoothed working problem (`loops.smooth`) brings w close and tells which
   rows stay at the kink.
3. Pivoting from there (`loops.pivot`) is exact up to rounding, whatever the scale of the columns.
4. The certificate over the free rows names those found on the wrong side; they join, and again.

Where there is nothing to follow, a sample of the rows brings w near. The working set is then that of the
rows w can meet first; where it does meet one of the others, the set is chosen anew around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from thresher.fates import ReducedProblem
from thresher.loops.pivot import minimise
from thresher.loops.smooth import FIRST_WIDTH, FLAT, LEFT, approach
from thresher.rows.base import Floats, Indices
from thresher.solvers.base import Answer, Start
from thresher.solvers.working import Working, reach_lengths, working_problem

Mask = NDArray[np.bool_]

# A row may reach its kink when it is nearer to it than this multiple of the predicted change of scores
# (its own plus the mean one): less means more rounds, more means more rows.
REACH = 1.0
# The working set holds at least this many rows per dimension: fewer leave Newton steps without a stop.
BASE_ROWS = 10
# Rows that tell the mean change of scores and the distances from the kink.
SAMPLE = 256
# Multiplications in one compiled call at most, so that Ctrl-C is heard within a fraction of a second.
CALL_WORK = 5e8
# Without a prediction, and with more than MANY_ROWS rows per dimension, a sample of the free rows brings w
# near: one in SKETCH_SHARE, at least SKETCH_ROWS per dimension.
MANY_ROWS, SKETCH_SHARE, SKETCH_ROWS = 100, 16, 25
# Without a prediction this share of the free rows is worked on, those that w can meet first; a larger one,
# by a factor, each time that w gets as far as the next.
NEIGHBOURS, WIDEN, LOOSE = 0.1, 1.5, 1.0
# When no more rows per dimension than this turn out to be on the wrong side, pivoting alone deals with
# them: the point is next to the optimum. More are smoothed first.
FEW_WRONG = 3.0
# When they are more than this share of the working set, the prediction was wrong.
MANY_WRONG = 0.25
# The finish aims at this relative gap whatever tol is: it costs nothing there, and screening at the
# next C is as good as the certificate it starts from.
EXACT = 1e-14
# In more dimensions pivots are dear: the finish then aims at this share of tol, for which more rounds of
# smoothing, up to so many, will mostly do.
PIVOT_DIMENSIONS, SHARE_OF_TOL, MORE_ROUNDS = 64, 0.05, 10
# Smoothing stops where a step promises less than this share of the primal value.
LEAST = 1e-17
# Steps of a free intercept at most; one or two do, where the last one is too short to matter.
PROXIMAL_STEPS = 20
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
    exact : float
        Relative gap that counts as none where pivots are cheap, up to 64 dimensions. w is off by the root of
        it, on the scale of the root of P.
    """

    max_pivots: int = 20_000
    max_memory: float = 4e9
    exact: float = EXACT
    name: str = "newton"

    def solve(self, reduced: ReducedProblem, C: float, start: Start, tol: float) -> Answer:
        """Return the optimal pair, up to rounding."""
        # P*(C) is at most this: P(w; C) grows no faster than C, for the w of the last point.
        level = start.point.primal * max(1.0, C / start.point.C)
        level = max(level, float(np.finfo(np.float64).tiny))
        exact = self.exact if start.w.size <= PIVOT_DIMENSIONS else max(self.exact, SHARE_OF_TOL * tol)
        given = self, reduced, C, exact * level, LEAST * level
        if start.near:
            pursuit = Pursuit(*given, start.w, np.empty(0))
            if pursuit.follow(start):
                return pursuit.answer()
        pursuit = Pursuit(*given, start.w, start.theta(reduced))
        pursuit.seek()
        return pursuit.answer()

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


@dataclass(eq=False)
class Pursuit:
    """One solve: ``w``, ``theta`` over the free rows and the count of ``steps`` evolve, the rest is given.

    A gap of ``negligible`` counts as none; steps that promise less than ``least`` are not worth taking.
    """

    solver: Newton
    reduced: ReducedProblem
    C: float
    negligible: float
    least: float
    w: Floats
    theta: Floats
    steps: int = 0

    def answer(self) -> Answer:
        """Return what was found."""
        return Answer(self.w, self.theta, self.steps)

    def follow(self, start: Start) -> bool:
        """Solve on the rows that may reach their kink near the prediction; False where it was wrong."""
        reduced = self.reduced
        places, values = start.kinks_among(reduced)
        chosen = np.zeros(reduced.free.size, dtype=np.bool_)
        chosen[places] = True
        change, width = self._surroundings(start)
        self.theta, others = reduced.survey(start.w, start.point.w, REACH, width, chosen)
        self.theta[places] = values
        rows = np.flatnonzero(chosen)
        # Many rows may sit at the kink itself, whose scores say nothing of how far w has to go.
        self._close_in(self._problem(rows, others), rows, state=np.array([FIRST_WIDTH * change, 0.0, 0.0]))
        return self._finish(chosen, others, most_wrong=MANY_WRONG)

    def seek(self) -> None:
        """Solve on the rows that w can meet first, chosen anew wherever it gets as far as the next."""
        reduced, dimension = self.reduced, self.w.size
        size = max(reduced.free.size, 1)
        if size > MANY_ROWS * dimension:
            self._sketch()
        lengths = reach_lengths(reduced)
        share, state = max(NEIGHBOURS, BASE_ROWS * dimension / size), np.zeros(3)
        while True:
            scores = reduced.scores(self.w)
            if state[1] + state[2] == 0.0:
                state[0] = FIRST_WIDTH * float(np.abs(scores).mean()) if size else 0.0
            distances = np.divide(np.abs(scores), lengths, out=np.full(size, np.inf), where=lengths > 0.0)
            radius = nearest(distances, share)
            chosen = distances <= radius
            self.theta = np.where(chosen, self.theta, reduced.bounds(scores))
            others = reduced.image_of(self.theta, np.flatnonzero(~chosen))
            rows = np.flatnonzero(chosen)
            if not self._close_in(self._problem(rows, others), rows, LOOSE * radius * dimension**0.5, state):
                break
            share *= WIDEN
        self._finish(chosen, others, most_wrong=np.inf)

    def _surroundings(self, start: Start) -> tuple[float, float]:
        """Return by how much scores change on the way to the prediction, and how near rows count there."""
        size = self.reduced.free.size
        positions = np.arange(0, size, max(1, size // SAMPLE))
        scores = self.reduced.scores(start.w, positions)
        change = np.abs(scores - self.reduced.scores(start.point.w, positions))
        mean = float(change.sum()) / max(change.size, 1)
        return mean, max(mean, nearest(np.abs(scores), BASE_ROWS * self.w.size / max(size, 1)))

    def _sketch(self) -> None:
        """Come close on a sample of the free rows, each standing for those left out."""
        size = self.reduced.free.size
        count = max(size // SKETCH_SHARE, SKETCH_ROWS * self.w.size)
        rows = np.sort(np.random.default_rng(0).choice(size, count, replace=False))
        weight = size / count
        problem = self._problem(rows, self.reduced.problem.zero(), weight)
        inside = problem.inside(self.w)
        state, theta = np.zeros(3), weight * self.theta[rows]
        self.steps += come_close(problem, inside, theta, self.least, state)[0]
        self.w = problem.outside(inside)

    def _problem(self, rows: Indices, others: Floats, weight: float = 1.0) -> Working:
        return working_problem(self.reduced, self.C, rows, others, self.w, weight, self.solver.max_memory)

    def _close_in(
        self, problem: Working, rows: Indices, radius: float = np.inf, state: Floats | None = None
    ) -> bool:
        """Smooth the working problem; returns whether w got as far as ``radius``."""
        inside, theta = problem.inside(self.w), self.theta[rows]
        state = np.zeros(3) if state is None else state
        steps, left = come_close(problem, inside, theta, self.least, state, radius)
        for _ in range(MORE_ROUNDS if problem.dimension > PIVOT_DIMENSIONS and not left else 0):
            if problem.gap(inside, theta) <= self.negligible:
                break
            state[1:] = 1.0, 0.0
            self.steps += come_close(problem, inside, theta, self.least, state)[0]
        self.w, self.theta[rows] = problem.outside(inside), theta
        self.steps += steps
        return left

    def _finish(self, chosen: Mask, others: Floats, most_wrong: float) -> bool:
        """Pivot to the optimum of the working problem until no row is misplaced.

        Returns False where more than a share ``most_wrong`` of the working set is.
        """
        while True:
            rows = np.flatnonzero(chosen)
            self._pivot(self._problem(rows, others), rows)
            point = self.reduced.certify(self.w, self.theta, self.C)
            positions = self.reduced.positions_of(point.kinks)[0]
            wrong = positions[~chosen[positions]]
            if wrong.size == 0 or point.certificate.gap <= self.negligible:
                return True
            many = wrong.size > FEW_WRONG * self.w.size or self.w.size > PIVOT_DIMENSIONS
            if many and wrong.size > most_wrong * rows.size:
                return False
            others = others - self.reduced.image_of(self.theta, wrong)
            chosen[wrong] = True
            if many:
                rows = np.flatnonzero(chosen)
                self._close_in(self._problem(rows, others), rows)

    def _pivot(self, problem: Working, rows: Indices) -> None:
        """Pivot to the optimum, with a free intercept by one proximal step after the other."""
        theta, inside = self.theta[rows], problem.inside(self.w)
        is_close = problem.dimension > PIVOT_DIMENSIONS and problem.proximal is None
        if is_close and problem.gap(inside, theta) <= self.negligible:
            return
        problem = problem.dense()
        for _ in range(PROXIMAL_STEPS):
            self.steps += self.solver.finish(problem, inside, theta, self.negligible)
            if problem.is_settled(inside, self.negligible):
                break
            w = problem.outside(inside)
            problem = problem.stepped(inside)
            inside = problem.inside(w)
        self.w, self.theta[rows] = problem.outside(inside), theta


def nearest(distances: Floats, share: float) -> float:
    """Return the distance within which ``share`` of the rows lie."""
    if share >= 1.0 or distances.size == 0:
        return np.inf
    place = min(int(share * distances.size), distances.size - 1)
    return float(np.partition(distances, place)[place])


def calls(problem: Working, columns: float) -> int:
    """Return how many steps one compiled call may take that go over so many columns of each row."""
    return max(1, int(CALL_WORK / (problem.entries * columns + problem.dimension**3 + 1)))


def come_close(
    problem: Working, w: Floats, theta: Floats, negligible: float, state: Floats, radius: float = np.inf
) -> tuple[int, bool]:
    """Come close by smoothing, w and theta in place; returns the Newton steps, and whether w left."""
    total, outcome, centre = 0, FLAT, w.copy()
    if problem.offsets.size <= BASE_ROWS:
        return 0, False
    limit, scratch = calls(problem, 2.0 + problem.dimension / 16), problem.scratch()
    while True:
        steps, outcome = approach(
            *problem.given(problem.offsets), w, theta, state, limit, negligible, centre, radius, scratch
        )
        total += steps
        if outcome in (FLAT, LEFT):
            return total, outcome == LEFT


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
        allowed = min(calls(problem, 2.0), limit - total)
        steps, optimal = minimise(*problem.given(offsets), w, theta, negligible, allowed, patience)
        total += steps
        if optimal or steps < allowed or total >= limit:
            return total, optimal
