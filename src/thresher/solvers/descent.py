"""Dual coordinate descent, the paper's solver (Hsieh et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.fates import ReducedProblem
from thresher.loops import descent
from thresher.rows.base import Floats, Indices
from thresher.solvers.base import CALL_WORK, Answer, Start

# Epochs between two looks at the gap: a look costs about two, so it gets rarer as the solve gets longer.
FIRST_CALL, LONGEST_CALL, GROWTH = 5, 80, 1.5


@dataclass(frozen=True)
class Descent:
    """Dual coordinate descent on the undecided rows.

    Parameters
    ----------
    max_epochs : int
        Passes over the active rows after which the point is returned as it is.
    shuffle, shrink, warm : bool
        Random order in every epoch; leaving out rows that stay at a bound; starting from the last
        point's theta rather than from zero.
    seed : int
        Seed of the random order.
    """

    max_epochs: int = 10_000
    shuffle: bool = True
    shrink: bool = True
    warm: bool = True
    seed: int = 0
    name: str = "descent"

    def solve(self, reduced: ReducedProblem, C: float, start: Start, tol: float) -> Answer:
        """Return the pair (u(theta), theta) once its relative gap is at most ``tol``."""
        theta = self._first_theta(reduced, start)
        u = reduced.certify(start.w, reduced.free, theta, C).certificate.u
        active = np.arange(theta.size)
        state = np.array([theta.size, 88172645463325.0 + self.seed, np.inf, -np.inf])
        total, call = 0, float(FIRST_CALL)
        while True:
            point = reduced.certify(u, reduced.free, theta, C)
            if point.gap <= tol or total >= self.max_epochs:
                return Answer(u, reduced.free, theta, total)
            # u is made anew before every call: updates alone would let rounding pile up. Rows left out
            # get another look; the bounds of the last epoch leave most of them out again at once.
            u = point.certificate.u.copy()
            state[0] = theta.size
            count = max(1, min(int(call), self._affordable(reduced), self.max_epochs - total))
            total += self._epochs(reduced, C, u, theta, active, state, count)
            call = min(call * GROWTH, LONGEST_CALL)

    def _first_theta(self, reduced: ReducedProblem, start: Start) -> Floats:
        if not self.warm:
            return np.zeros(reduced.free.size)
        return start.theta(reduced)

    @staticmethod
    def _affordable(reduced: ReducedProblem) -> int:
        return int(CALL_WORK / (1.0 + reduced.free.size * reduced.problem.rows.entries_per_sample))

    def _epochs(
        self,
        reduced: ReducedProblem,
        C: float,
        u: Floats,
        theta: Floats,
        active: Indices,
        state: Floats,
        count: int,
    ) -> int:
        problem = reduced.problem
        run = descent.epochs(
            *problem.arrays(),
            problem.sample_norms,
            reduced.free,
            active,
            state,
            C,
            u,
            theta,
            count,
            self.shuffle,
            self.shrink,
        )
        return max(run, 1)
