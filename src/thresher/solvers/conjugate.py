"""The solver for many columns: coordinate descent finds the face, conjugate gradients climb it.

Descent soon knows which rows end at a bound, and is slow to sort out the others where some are nearly alike;
conjugate gradients are the other way round. A step of theirs that leaves the box is clipped; the few
epochs that follow mend what that breaks, or all is undone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.fates import ReducedProblem
from thresher.loops.conjugate import climb
from thresher.loops.descent import epochs
from thresher.point import Point
from thresher.rows.base import Floats
from thresher.solvers.base import CALL_WORK, Answer, Start

# Epochs in each round, and conjugate steps at most; the steps end early where the residual is this share of
# what it was.
EPOCHS, STEPS, SHARE = 5, 30, 0.1


@dataclass(frozen=True)
class Conjugate:
    """Coordinate descent and conjugate gradients by turns, on the dual problem of the undecided rows.

    Parameters
    ----------
    max_steps : int
        Epochs and conjugate steps after which the point is returned as it is.
    seed : int
        Seed of the random order of an epoch.
    """

    max_steps: int = 30_000
    seed: int = 0
    name: str = "conjugate"

    def solve(self, reduced: ReducedProblem, C: float, start: Start, tol: float) -> Answer:
        """Return a pair once its relative gap is at most ``tol``."""
        climber = Climber(reduced, C, start.dual_guess(reduced, C), self.seed)
        best: tuple[float, Floats] | None = None
        while True:
            climber.descend(min(EPOCHS, self.max_steps - climber.steps))
            point = climber.look()
            if point.gap <= tol or climber.steps >= self.max_steps:
                break
            undone = best is not None and point.dual < best[0]
            if best is not None and undone:
                climber.theta = best[1]
                point = climber.look()
            best = point.dual, climber.theta.copy()
            climber.climb(min(STEPS, self.max_steps - climber.steps - 1), whole=not undone)
        return Answer(point.w, reduced.free, climber.theta, climber.steps)


class Climber:
    """One solve: ``theta`` over the free rows, its image ``u`` and the count of ``steps`` evolve."""

    def __init__(self, reduced: ReducedProblem, C: float, theta: Floats, seed: int) -> None:
        self.reduced, self.C, self.theta, self.steps = reduced, C, theta, 0
        problem, free = reduced.problem, reduced.free
        self.u = -C * problem.frame.image(reduced.ledger.image(free, theta))
        self.active = np.arange(theta.size)
        self.state = np.array([theta.size, 88172645463325.0 + seed, np.inf, -np.inf])
        self.entries = 1.0 + free.size * problem.rows.entries_per_sample

    def descend(self, count: int) -> None:
        """Run ``count`` epochs."""
        problem = self.reduced.problem
        self.state[0] = self.theta.size
        for _ in range(count):
            given = self.reduced.free, self.active, self.state, self.C, self.u, self.theta
            epochs(*problem.arrays(), problem.sample_norms, *given, 1, True, True)
            self.steps += 1

    def look(self) -> Point:
        """Certify where things stand; updates of u leave their roundings, so it is made anew."""
        reduced, free = self.reduced, self.reduced.free
        point = reduced.certify(self.u, free, self.theta, self.C)
        self.u = point.certificate.u.copy()
        return point

    def climb(self, left: int, whole: bool) -> None:
        """Climb the face of the rows inside their box by so many steps, past its edges or not."""
        problem = self.reduced.problem
        lower, upper = self.reduced.box()
        inside = np.flatnonzero((self.theta > lower) & (self.theta < upper))
        rows = self.reduced.free[inside]
        residual = problem.rows.scores_at(problem.scale, problem.offsets, rows, self.u)
        direction, step, image = residual.copy(), np.zeros(rows.size), problem.zero()
        enough = SHARE**2 * float(residual @ residual)
        limit = max(1, int(CALL_WORK / (1.0 + rows.size * problem.rows.entries_per_sample)))
        while left > 0:
            given = rows, self.C, residual, direction, step, image, min(limit, left), enough
            taken, square = climb(problem.rows.data, problem.samples, problem.scale, *given)
            left -= max(taken, 1)
            self.steps += taken
            if square <= enough or taken == 0:
                break
        low, high = (b[inside] if b.size > 1 else b for b in (lower, upper))
        if not whole:
            step *= way_to_edge(self.theta[inside], step, low, high)
        self.theta = self.theta.copy()
        self.theta[inside] = np.clip(self.theta[inside] + step, low, high)
        self.u = -self.C * problem.frame.image(self.reduced.ledger.image(self.reduced.free, self.theta))


def way_to_edge(theta: Floats, step: Floats, lower: Floats, upper: Floats) -> float:
    """Return how much of the step keeps theta in its box."""
    room = np.where(step > 0.0, upper - theta, theta - lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.where(step != 0.0, room / np.abs(step), np.inf)
    return min(1.0, float(ways.min(initial=1.0)))
