"""The fast exact solver: working sets, a semismooth Newton method, an active-set finish.

Where the path was followed so far:

1. Predict w at the next C; rows that may reach their kink near it make up the working set, the others
   are held at the bound their predicted side names (an assumption, never a proof).
2. Semismooth Newton on the smoothed working problem (`loops.smooth`) brings w close and tells which
   rows stay at the kink.
3. Pivoting from there (`loops.pivot`) is exact up to rounding, whatever the scale of the columns.
4. The certificate over the free rows names those found on the wrong side; they join, and again.

Where there is nothing to follow, samples of growing size bring w near, and tell how far off they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from thresher.fates import ReducedProblem
from thresher.loops.compiled import TINY
from thresher.loops.optimise import optimise
from thresher.loops.pivot import minimise
from thresher.loops.smooth import approach
from thresher.rows.base import Floats, Indices
from thresher.solvers import blocks
from thresher.solvers.base import Answer, Start
from thresher.solvers.working import Working, working_problem

Mask = NDArray[np.bool_]

# A row may reach its kink when that is nearer than this multiple of what the guess may be off: less means
# more rounds, more means more rows; where it was too few, they grow by a factor.
SPREAD, WIDEN = 6.0, 4
# The working set holds at least this many rows per dimension: fewer leave Newton steps without a stop.
BASE_ROWS = 10
# Without a guess, samples of so many rows per dimension bring w near, then larger ones by a factor. What
# they are off is better known.
SKETCH_ROWS, SKETCH_GROWTH, SKETCH_SPREAD = 30, 8, 4.0
# A sample whose gap exceeds this share of the primal value went astray, and goes on to the second.
ASTRAY, FOUND = 1.0, 1e-4
# When no more rows per dimension than this turn out to be on the wrong side, pivoting alone deals with
# them: the point is next to the optimum. More are smoothed first.
FEW_WRONG = 3.0
# Otherwise it begins with this share of the width it had before.
JOINED = 0.04
# When they are more than this share of the working set, the prediction was wrong.
MANY_WRONG = 0.25
# The finish aims at this relative gap whatever tol is: it costs nothing there, and screening at the
# next C is as good as the certificate it starts from.
EXACT = 1e-14
# In more dimensions pivots are dear: a working problem is then solved to the first share of tol, for which
# smoothing will mostly do, and misplaced rows may bring the gap up to the second.
PIVOT_DIMENSIONS, SHARE_OF_TOL, DONE_AT = 64, 0.05, 0.5
# Working sets of more rows are never pivoted: most of a rare class's negatives can be at the kink at once.
PIVOT_ROWS = 200_000
# From so many on, dense rows are smoothed by blocked routines.
BLOCK_DIMENSIONS = 400
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
        level = max(level, TINY)
        exact, done, loose = self.exact, self.exact, max(self.exact, SHARE_OF_TOL * tol)
        if start.w.size > PIVOT_DIMENSIONS:
            exact, done = loose, max(self.exact, DONE_AT * tol)
        gaps = exact * level, done * level, loose * level
        pursuit = Pursuit(self, reduced, C, *gaps, LEAST * level, start.w)
        pursuit.pursue(start)
        return Answer(pursuit.w, pursuit.rows, pursuit.theta, pursuit.steps)

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
    """One solve. ``w`` evolves, and ``theta`` of the ``rows`` that do not rest, of which some are ``chosen``.

    A working problem is solved up to a gap that is ``negligible``, the whole one when it is ``done``; both
    are ``loose`` where pivots turn out to be dear. Steps that promise less than ``least`` are not worth
    taking. Kinks are smoothed over ``width`` at first; ``sampled`` is the size of the last sample.
    """

    solver: Newton
    reduced: ReducedProblem
    C: float
    negligible: float
    done: float
    loose: float
    least: float
    w: Floats
    rows: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    theta: Floats = field(default_factory=lambda: np.empty(0))
    chosen: Mask = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    width: float = 0.0
    steps: int = 0
    sampled: int = 0
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def pursue(self, start: Start) -> None:
        """Solve on the rows that may reach their kink near where w is guessed to be, or on more of them."""
        ledger, free = self.reduced.ledger, self.reduced.free
        error, spread, least = start.error, SPREAD, BASE_ROWS * self.w.size
        found = self._sketch() if start.before is None else None
        if found is not None:
            error, spread = found, SKETCH_SPREAD
            ledger.settle(self.w, free)
        if error is None:
            error, least = 0.0 * self.w, free.size
        guess = self.w
        while True:
            survey = ledger.survey(guess, error, spread, least, free, start.point)
            self.rows, self.theta, self.chosen, linear, change = survey
            further = self._further(error) if found is not None else None
            if further is not None:
                guess, error = self.w, further
                ledger.settle(self.w, free)
                continue
            least = WIDEN * max(least, int(np.count_nonzero(self.chosen)))
            self.width = change
            if self._work(linear):
                return
            self.w = guess

    def _sketch(self) -> Floats | None:
        """Come close on samples of the free rows, each row standing for many; returns what w may be off.

        Two small ones tell how far samples of their size are off, and each larger one by how much less.
        None where the rows are too few for samples.
        """
        size, count = self.reduced.free.size, SKETCH_ROWS * self.w.size
        if size < SKETCH_GROWTH * count:
            return None
        first, second = (self._sampled(count) for _ in range(2))
        self.w, error = 0.5 * (first + second), 0.5 * (first - second)
        while size >= SKETCH_GROWTH**2 * self.sampled:
            error = self._larger_sample(SKETCH_GROWTH * self.sampled, SKETCH_GROWTH**0.5)
        return error

    def _further(self, error: Floats) -> Floats | None:
        """Come closer where a larger sample is still smaller than the working set that w leads to.

        A working set of most rows is smoothed itself, once: pivoting would take for ever.
        """
        following, size = SKETCH_GROWTH * self.sampled, self.reduced.free.size
        chosen = int(np.count_nonzero(self.chosen))
        if following <= min(size // 2, chosen):
            return self._larger_sample(following, SKETCH_GROWTH**0.5)
        if self.sampled < size < SKETCH_GROWTH * chosen and error.any():
            return self._larger_sample(size, SKETCH_GROWTH)
        return None

    def _larger_sample(self, count: int, nearer: float) -> Floats:
        """Come closer on a sample; returns what w may be off: what it moved, over ``nearer``."""
        before = self.w
        self.w = self._sampled(count)
        error: Floats = (self.w - before) / nearer
        return error

    def _sampled(self, count: int) -> Floats:
        """Return where a sample of the free rows leads to from w."""
        reduced, ledger, self.sampled = self.reduced, self.reduced.ledger, count
        rows, size = reduced.free, reduced.free.size
        if count < size:
            rows = rows[np.unique(self.random.integers(0, size, count))]
        weight = size / rows.size
        problem = self._working(rows, reduced.known(), self.w, weight)
        inside, theta = problem.inside(self.w), weight * ledger.resting(rows)
        self.steps += come_close(problem, inside, theta, 0.0, self.least, 0.0)
        level = self.least / LEAST
        if count == size or not problem.gap(inside, theta) <= ASTRAY * level:
            self.steps += come_close(problem, inside, theta, 0.0, self.least, FOUND * level)
        return problem.outside(inside)

    def _work(self, linear: Floats) -> bool:
        """Solve the working problem, and again with the rows it misplaced; False where they were many."""
        problem = self._working(self.rows[self.chosen], linear, self.w)
        if self._is_vast(problem):
            self.negligible, self.done = max(self.negligible, self.loose), max(self.done, 10.0 * self.loose)
        if problem.is_small and problem.proximal is None:
            self._optimise(problem)
        else:
            self._close_in(problem)
            self._pivot(problem)
        return self._mend()

    def _optimise(self, problem: Working) -> None:
        """Solve a small problem in one call, and what that leaves in more."""
        inside, theta = problem.inside(self.w), self.theta[self.chosen]
        steps, optimal = optimise(
            *problem.given(problem.offsets),
            inside,
            theta,
            np.array([self.width, 0.0, 0.0, 0.0]),
            self.solver.max_pivots,
            self.least,
            problem.scratch(),
            self.negligible,
            inside.size + IDLE_STEPS,
        )
        self.steps += steps
        if not optimal:
            self.steps += self.solver.finish(problem, inside, theta, self.negligible)
        self.w, self.theta[self.chosen] = problem.outside(inside), theta

    def _problem(self) -> Working:
        """Return the working problem on the chosen rows, all others as they are."""
        linear = self.reduced.ledger.image(self.rows, np.where(self.chosen, 0.0, self.theta))
        return self._working(self.rows[self.chosen], linear, self.w)

    def _working(self, rows: Indices, linear: Floats, w: Floats, weight: float = 1.0) -> Working:
        memory = self.solver.max_memory
        return working_problem(self.reduced.problem, self.C, rows, linear, w, weight, memory)

    def _close_in(self, problem: Working) -> None:
        """Smooth the working problem."""
        inside, theta = problem.inside(self.w), self.theta[self.chosen]
        self.steps += come_close(problem, inside, theta, self.width, self.least, self._enough(problem))
        self.w, self.theta[self.chosen] = problem.outside(inside), theta

    def _enough(self, problem: Working) -> float:
        """Return the gap with which smoothing is done."""
        return self.negligible if self._is_dear(problem) else 0.0

    def _is_dear(self, problem: Working) -> bool:
        """Say whether pivots are: in many dimensions, and where very many rows may be at the kink at once."""
        return problem.dimension > PIVOT_DIMENSIONS or self._is_vast(problem)

    @staticmethod
    def _is_vast(problem: Working) -> bool:
        """Say whether the rows are too many for pivots."""
        return problem.offsets.size > PIVOT_ROWS

    def _mend(self) -> bool:
        """Let misplaced rows join the working set until there are none; False where too many are."""
        while True:
            point = self.reduced.certify(self.w, self.rows, self.theta, self.C)
            if point.certificate.gap <= self.done:
                return True
            wrong = np.setdiff1d(self.reduced.free_among(point.kinks), self.rows[self.chosen])
            if wrong.size == 0:
                return True
            few = wrong.size <= FEW_WRONG * self.w.size and self.w.size <= PIVOT_DIMENSIONS
            if not few and wrong.size > MANY_WRONG * np.count_nonzero(self.chosen):
                return False
            self._join(wrong)
            problem = self._problem()
            if not few:
                self.width *= JOINED
                self._close_in(problem)
            self._pivot(problem)

    def _join(self, wrong: Indices) -> None:
        """Choose more rows, from where they are."""
        rows = np.union1d(self.rows, wrong)
        places = np.searchsorted(rows, self.rows)
        theta, chosen = self.reduced.ledger.resting(rows), np.zeros(rows.size, dtype=np.bool_)
        theta[places], chosen[places] = self.theta, self.chosen
        chosen[np.searchsorted(rows, wrong)] = True
        self.rows, self.theta, self.chosen = rows, theta, chosen

    def _pivot(self, problem: Working) -> None:
        """Pivot to the optimum, with a free intercept by one proximal step after the other."""
        theta, inside, dear = self.theta[self.chosen], problem.inside(self.w), self._is_dear(problem)
        for _ in range(PROXIMAL_STEPS):
            if not dear or (not self._is_vast(problem) and problem.gap(inside, theta) > self.negligible):
                problem = problem.dense()
                self.steps += self.solver.finish(problem, inside, theta, self.negligible)
            if problem.is_settled(inside, self.negligible):
                break
            w = problem.outside(inside)
            problem = problem.stepped(inside)
            inside = problem.inside(w)
            if dear:
                self.steps += come_close(problem, inside, theta, self.width, self.least, self.negligible)
        self.w, self.theta[self.chosen] = problem.outside(inside), theta


def come_close(problem: Working, w: Floats, theta: Floats, width: float, least: float, enough: float) -> int:
    """Come close by smoothing, w and theta in place; returns the Newton steps."""
    if problem.offsets.size <= BASE_ROWS:
        return 0
    if problem.dimension >= BLOCK_DIMENSIONS and not problem.is_sparse and enough > 0.0:
        return blocks.approach(problem, w, theta, width, least, enough)
    total, limit, scratch = 0, problem.calls(2.0 + problem.dimension / 16), problem.scratch()
    state, given, before = (
        np.array([width, 0.0, 0.0, 0.0]),
        problem.given(problem.offsets),
        (w.copy(), theta.copy()),
    )
    while True:
        steps, done = approach(*given, w, theta, state, limit, least, enough, scratch)
        total += steps
        if done:
            break
    # Where nearly all rows meet in one kink, widths may shrink until steps overflow.
    if not np.isfinite(w).all():
        w[:], theta[:] = before
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
        allowed = min(problem.calls(2.0), limit - total)
        steps, optimal = minimise(*problem.given(offsets), w, theta, negligible, allowed, patience)
        total += steps
        if optimal or steps < allowed or total >= limit:
            return total, optimal
