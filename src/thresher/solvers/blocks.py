"""Smoothing in many dimensions: what `loops.smooth.approach` does, with BLAS and LAPACK.

With n dimensions a Newton step factors an n × n matrix, and the first one sums the squares of all bent rows:
work for blocked routines once n is some hundreds. From step to step only the rows that bend or straighten
are summed, and from width to width the sum only changes its weight.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from thresher.loops import smooth
from thresher.loops.pivot import Given
from thresher.rows.base import Floats
from thresher.solvers.working import Working


@dataclass(eq=False)
class Smoothing:
    """One run: w, theta, the scores s and ``squares`` = sum (upper - lower) a a' over bent rows evolve."""

    problem: Working
    w: Floats
    theta: Floats
    width: float
    squares: Floats = field(init=False)
    bent: NDArray[np.bool_] = field(init=False)
    s: Floats = field(init=False)

    def __post_init__(self) -> None:
        problem = self.problem
        self.squares = np.zeros((problem.dimension, problem.dimension))
        self.bent = np.zeros(problem.offsets.size, dtype=np.bool_)
        self.s = self.w @ problem.A + problem.offsets
        self.width = max(self.width, smooth.FIRST_WIDTH * float(np.abs(self.s).mean()))

    def clipped(self, s: Floats) -> Floats:
        """Return the multipliers that scores ask for, kept in their box."""
        problem = self.problem
        asked = self.theta + (problem.upper - problem.lower) / self.width * s
        return np.clip(asked, problem.lower, problem.upper)

    def step(self, least: float, best: float) -> float:
        """Take a Newton step; returns what it promised, zero where that is too little to take it."""
        problem, C = self.problem, self.problem.C
        values = self.clipped(self.s)
        gradient = self.w + C * (problem.linear + problem.A @ values)
        self._bend((values > problem.lower) & (values < problem.upper))
        d = self._solved(-gradient)
        promise = -0.5 * float(gradient @ d)
        if not max(least, smooth.INNER * max(best, promise)) < promise < np.inf:
            return 0.0
        v = d @ problem.A
        slope = float((self.w + C * problem.linear) @ d)
        given = Given(*problem.given(problem.offsets))
        t = smooth.step_length(
            given, self.theta, self.s, v, 1.0 / self.width, slope, float(d @ d), -2.0 * promise
        )
        self.w += t * d
        self.s += t * v
        return promise

    def _bend(self, bent: NDArray[np.bool_]) -> None:
        """Let these rows be the bent ones, and their squares follow."""
        problem = self.problem
        for changed, sign in ((bent & ~self.bent, 1.0), (self.bent & ~bent, -1.0)):
            rows = np.flatnonzero(changed)
            if rows.size:
                roots = np.sqrt(problem.upper[rows] - problem.lower[rows])
                block = problem.A[:, rows] * roots
                self.squares += sign * (block @ block.T)
        self.bent = bent

    def _solved(self, right: Floats) -> Floats:
        """Return the Newton direction; rows let out and in again leave rounding, never less than I."""
        hessian = self.problem.C / self.width * self.squares
        hessian[np.diag_indices_from(hessian)] += 1.0
        try:
            return np.asarray(cho_solve(cho_factor(hessian, overwrite_a=True, check_finite=False), right))
        except LinAlgError:
            return right

    def gap(self) -> float:
        """Return the duality gap: [GAP]."""
        problem, C = self.problem, self.problem.C
        kappa = np.maximum(problem.lower * self.s, problem.upper * self.s) - self.theta * self.s
        distance = self.w + C * (problem.linear + problem.A @ self.theta)
        return 0.5 * float(distance @ distance) + C * float(kappa.sum())


def approach(problem: Working, w: Floats, theta: Floats, width: float, least: float, enough: float) -> int:
    """Come as close to the optimum as ``enough``, w and theta in place; returns the Newton steps."""
    run, total, before = Smoothing(problem, w, theta, width), 0, 0.0
    most = max(smooth.NEWTON_STEPS, problem.dimension)
    for _ in range(smooth.MOST_ROUNDS):
        steps, best = 0, 0.0
        while steps < most and run.width > 0.0:
            promise = run.step(least, best)
            if promise == 0.0:
                break
            steps, best = steps + 1, max(best, promise)
        total += steps
        theta[:] = run.clipped(run.s)
        gap = run.gap()
        if gap <= enough:
            break
        if steps >= most:
            run.width *= smooth.WIDEN
        elif gap > smooth.SLOW * before:
            run.width *= smooth.SHRINK
        before = gap
    return total
