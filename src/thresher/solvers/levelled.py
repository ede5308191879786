"""A free intercept for a solver that has none: the level around which the intercept is penalised is sought.

With half the square of v = b - level added to the penalty, the problem is one with a penalised intercept.
Its v falls as the level rises, and is zero where the level is the free intercept: a root of one variable,
bracketed and found by false position. v is -C sum a_i theta_i, what the dual of [FREE] has to be rid of.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from thresher.fates import ReducedProblem
from thresher.ledger import Ledger
from thresher.solvers.base import Answer, Solver, Start

# Levels tried at most; five or six do where the inner solver converges.
LEVELS = 50
# The inner solver gets this share of tol, and from the level LOOKED on a smaller one each time: v is only as
# exact as its w.
SHARE, LOOKED, TIGHTER = 0.5, 5, 0.5
# Before there is a bracket the level moves by no more than this many of its last steps.
LEAP = 10.0


@dataclass(frozen=True)
class Levelled:
    """An inner solver for a penalised intercept, for problems with a free one.

    Parameters
    ----------
    inner : Solver
        What solves the problem at each level.
    max_steps : int
        Steps of the inner solver after which no other level is tried.
    """

    inner: Solver
    max_steps: int = 10_000

    @property
    def name(self) -> str:
        """The inner solver's name: which intercept there is, the problem says."""
        return self.inner.name

    def solve(self, reduced: ReducedProblem, C: float, start: Start, tol: float) -> Answer:
        """Return the best pair found, once its relative gap is at most ``tol`` or the steps are spent."""
        w, theta, level = np.append(start.w[:-1], 0.0), start.theta(reduced), float(start.w[-1])
        bracket, rows, total = Bracket(), reduced.free, 0
        best, found = np.inf, Answer(start.w, rows, theta, 0)
        for k in range(LEVELS):
            shifted = at_level(reduced, level)
            near = Start(shifted.certify(w, rows, theta, C), w)
            answer = self.inner.solve(shifted, C, near, SHARE * TIGHTER ** max(0, k - LOOKED) * tol)
            rows, theta, w = answer.rows, answer.theta, answer.w.copy()
            v, total = float(w[-1]), total + answer.iterations
            outside = np.append(w[:-1], level + v)
            gap = reduced.certify(outside, rows, theta, C).gap_bound
            if gap < best:
                best, found = gap, Answer(outside, rows, theta, total)
            following = bracket.after(level, v)
            if best <= tol or total >= self.max_steps or following == level:
                break
            w[-1], level = level + v - following, following
        return replace(found, iterations=total)


@dataclass
class Bracket:
    """The last level on either side of the root, with its v; the level last tried, and the step to it."""

    below: tuple[float, float] | None = None
    above: tuple[float, float] | None = None
    trail: list[tuple[float, float]] = field(default_factory=list)

    def after(self, level: float, v: float) -> float:
        """Take in v at ``level``, and return the level to try next."""
        repeated = bool(self.trail) and self.trail[-1][1] * v > 0.0
        if v > 0.0:
            self.below = (level, v)
            self.above = halved(self.above) if repeated else self.above
        else:
            self.above = (level, v)
            self.below = halved(self.below) if repeated else self.below
        self.trail = [*self.trail[-1:], (level, v)]
        if self.below is not None and self.above is not None:
            return crossing(self.below, self.above)
        return self._leap()

    def _leap(self) -> float:
        """Go on along the secant; level + v, to begin with, never lies beyond the root."""
        level, v = self.trail[-1]
        if len(self.trail) == 1:
            return level + v
        before = self.trail[0]
        longest = LEAP * abs(level - before[0])
        # Both v have one sign: where the later is no smaller, there is no crossing ahead.
        step = crossing(before, (level, v)) - level if abs(v) < abs(before[1]) else np.copysign(np.inf, v)
        return level + float(np.clip(step, -longest, longest))


def halved(end: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return an end of the bracket that has stood twice, with half its v: the Illinois rule."""
    return None if end is None else (end[0], 0.5 * end[1])


def crossing(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return where the line through two (level, v) is zero."""
    return one[0] + (other[0] - one[0]) * one[1] / (one[1] - other[1])


def at_level(reduced: ReducedProblem, level: float) -> ReducedProblem:
    """Return the problem with a penalised intercept that is counted from ``level``."""
    problem = reduced.problem
    shifted = replace(problem, offsets=problem.offsets_at(level), intercept="penalised")
    # The bounds on rounding are those of this frame's longer or shorter rows: what is certified here only
    # tells the inner solver when to stop.
    return ReducedProblem(Ledger(shifted, reduced.ledger.sides.copy()), reduced.free, reduced.lower)
