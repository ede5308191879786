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

import numpy as np

from thresher.fates import Reduced
from thresher.loops.pivot import Given
from thresher.loops.smooth import smooth
from thresher.rows.base import Floats, Indices
from thresher.solvers.active_set import minimise
from thresher.solvers.base import Answer, Start

# A row may reach its kink when it is nearer to it than this multiple of the predicted change of scores
# (its own plus the mean one). 0.1 gives twice the rounds, 1.0 twice the rows; times differ little.
REACH = 0.3
# The working set holds at least this many rows per dimension: fewer leave Newton steps without a stop.
BASE_ROWS = 5
# Rows per dimension inside the first smoothing width, and what the width shrinks by in each round.
# Four rounds leave 1 to 2 pivots to the finish on the paper's data sets; two leave 20 and take longer.
SMOOTH_ROWS, SHRINK, ROUNDS = 10, 0.1, 4
# When no more rows per dimension than this turn out to be on the wrong side, pivoting alone deals with
# them: the point is next to the optimum.
FEW_WRONG = 3.0
# The finish aims at this relative gap whatever tol is: it costs nothing there, and screening at the
# next C is as good as the certificate it starts from.
EXACT = 1e-14
# Columns beyond this many rows' worth are replaced by coordinates in the rows' span.
WIDE = 1.0
# Offsets are perturbed by this share of themselves where many rows meet in one kink and pivoting stalls.
PERTURBATION = 1e-13
# Pivoting stalls after this many steps, and one a dimension, that lead nowhere.
IDLE_STEPS = 10


@dataclass(frozen=True, eq=False)
class Working:
    """A working problem as dense arrays; ``basis`` leads back where columns were replaced."""

    A: Floats
    offsets: Floats
    lower: Floats
    upper: Floats
    linear: Floats
    basis: Floats | None = None

    def inside(self, w: Floats) -> Floats:
        """Return w in the coordinates of the working problem."""
        return w.copy() if self.basis is None else self.basis.T @ w

    def outside(self, w: Floats) -> Floats:
        """Return a working solution in the coordinates of the full problem."""
        return w if self.basis is None else self.basis @ w

    def narrowed(self) -> Working:
        """Return the problem in coordinates of its rows' span, where that is the smaller space.

        The optimum -C (g + sum theta_i a_i) lies in the span of g and the rows.
        """
        m, n = self.A.shape
        if n <= WIDE * (m + 1):
            return self
        basis, _ = np.linalg.qr(np.vstack([self.A, self.linear]).T)
        return Working(
            np.ascontiguousarray(self.A @ basis),
            self.offsets,
            self.lower,
            self.upper,
            basis.T @ self.linear,
            basis,
        )


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
        predicted, before = reduced.scores_of_two(start.w, start.point.w)
        theta = start.theta(reduced, before)
        at_kink = np.flatnonzero(_strictly_inside(reduced, theta))
        working = self._first_set(predicted, before, at_kink, reduced.problem.dimension)
        # P*(C) is at most this: P(w; C) grows no faster than C, for the w of the last point.
        level = start.point.primal * max(1.0, C / start.point.C)
        negligible = EXACT * max(level, float(np.finfo(np.float64).tiny))
        w, scores, steps, far = start.w, predicted, 0, True
        while True:
            theta = _bounds(reduced, scores, theta, working)
            rows = np.flatnonzero(working)
            w, inner = self._solve_working(reduced, C, w, theta, rows, scores, negligible, far)
            steps += inner
            found = reduced.scores(w)
            wrong = ~working & (found * scores < 0.0)
            count = np.count_nonzero(wrong)
            if count == 0:
                return Answer(w, theta, steps)
            far = count > FEW_WRONG * w.size
            working |= wrong
            scores = found

    def _first_set(
        self, predicted: Floats, before: Floats, at_kink: Indices, dimension: int
    ) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Choose the rows that may reach their kink, the rows there now, and some more."""
        distance = np.abs(predicted)
        change = np.abs(predicted - before)
        mean = float(change.mean()) if change.size else 0.0
        working: np.ndarray[tuple[int], np.dtype[np.bool_]] = distance <= REACH * (change + mean)
        working[at_kink] = True
        enough = BASE_ROWS * dimension
        if np.count_nonzero(working) < enough:
            if enough >= distance.size:
                working[:] = True
            else:
                working[np.argpartition(distance, enough)[:enough]] = True
        return working

    def _solve_working(
        self,
        reduced: Reduced,
        C: float,
        w: Floats,
        theta: Floats,
        rows: Indices,
        scores: Floats,
        negligible: float,
        far: bool,
    ) -> tuple[Floats, int]:
        """Solve for the rows ``rows`` with all others held; updates their ``theta``."""
        problem = self._working_problem(reduced, theta, rows)
        inside, values = problem.inside(w), theta[rows]
        steps = 0
        if far:
            steps += self._approach(problem, C, inside, values, scores[rows], 1e-3 * negligible)
        steps += self._finish(problem, C, inside, values, negligible)
        theta[rows] = values
        return problem.outside(inside), steps

    def _working_problem(self, reduced: Reduced, theta: Floats, rows: Indices) -> Working:
        problem, index = reduced.problem, reduced.free[rows]
        held = np.delete(np.arange(theta.size), rows)
        linear = reduced.linear + reduced.image_of(held, theta[held])
        needed = 8.0 * rows.size * problem.dimension
        if needed > self.max_memory:
            raise MemoryError(
                f"solver 'newton' needs {needed / 1e9:.1f} GB for {rows.size} dense working rows; "
                "use solver='descent' or raise Newton(max_memory=...)"
            )
        return Working(
            problem.rows.gather(problem.scale, index, problem.dimension),
            _take(problem.offsets, index),
            _take(problem.lower, index),
            _take(problem.upper, index),
            linear,
        ).narrowed()

    def _approach(
        self, problem: Working, C: float, w: Floats, theta: Floats, scores: Floats, negligible: float
    ) -> int:
        """Come close by smoothing; nothing to smooth where rows are fewer than dimensions."""
        m, n = problem.A.shape
        if m <= BASE_ROWS:
            return 0
        distance = np.abs(scores)
        width = float(np.partition(distance, min(m - 1, SMOOTH_ROWS * n))[min(m - 1, SMOOTH_ROWS * n)])
        if width == 0.0:
            return 0
        return smooth(
            problem.A,
            problem.offsets,
            problem.lower,
            problem.upper,
            problem.linear,
            C,
            w,
            theta,
            width,
            SHRINK,
            ROUNDS,
            negligible,
        )

    def _finish(self, problem: Working, C: float, w: Floats, theta: Floats, negligible: float) -> int:
        """Pivot to the optimum; where ties stall it, once more with the offsets pulled apart."""
        total, offsets, patience = 0, problem.offsets, w.size + IDLE_STEPS
        for last in (False, True):
            given = Given(problem.A, offsets, problem.lower, problem.upper, problem.linear, C)
            order = _by_interiority(problem, theta)
            theta[:], steps, optimal = minimise(given, w, order, negligible, self.max_pivots, patience)
            total += steps
            if optimal or last:
                break
            size = np.abs(problem.offsets) + np.linalg.norm(problem.A, axis=1) * np.linalg.norm(w)
            noise = np.random.default_rng(0).uniform(-1.0, 1.0, size.size)
            offsets = problem.offsets + PERTURBATION * size * noise
            patience = self.max_pivots
        return total


def _take(values: Floats, index: Indices) -> Floats:
    return values[index] if values.size > 1 else np.full(index.size, values[0])


def _strictly_inside(reduced: Reduced, theta: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    lower, upper = reduced.box()
    return (theta > lower) & (theta < upper)


def _bounds(
    reduced: Reduced, scores: Floats, theta: Floats, working: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> Floats:
    """Return theta with the rows outside the working set at the bound their side names."""
    lower, upper = reduced.box()
    return np.where(working, theta, np.where(scores > 0.0, upper, lower))


def _by_interiority(problem: Working, theta: Floats) -> Indices:
    """Return the rows strictly inside their box, those furthest from its ends first."""
    inside = np.minimum(theta - problem.lower, problem.upper - theta)
    rows = np.flatnonzero(inside > 0.0)
    span = problem.upper[rows] - problem.lower[rows]
    order: Indices = rows[np.argsort(-inside[rows] / span)]
    return order
