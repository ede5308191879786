"""What a solver is: something that returns a pair (w, theta) for a reduced problem. It proves nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from thresher.fates import ReducedProblem
from thresher.point import Point
from thresher.rows.base import Floats, Indices

# Entries touched in one compiled call at most, so that Ctrl-C is heard within a fraction of a second.
CALL_WORK = 3e8


@dataclass(frozen=True, eq=False)
class Start:
    """Where a solver may begin: the last certified point and a prediction of w at the next C.

    ``error`` is about what the prediction may be off; None where it is no more than a guess. ``before`` is
    the point before the last one, where its C is as near.
    """

    point: Point
    w: Floats
    error: Floats | None = None
    before: Point | None = None

    def kinks_among(self, reduced: ReducedProblem) -> tuple[Indices, Floats]:
        """Return the positions among the free rows of the last point's kink rows, and their theta."""
        positions, found = reduced.positions_of(self.point.kinks)
        return positions, self.point.theta[found]

    def theta(self, reduced: ReducedProblem) -> Floats:
        """Return the last point's theta on the free rows."""
        theta = reduced.bounds(reduced.scores(self.point.w))
        places, values = self.kinks_among(reduced)
        theta[places] = values
        return theta

    def dual_guess(self, reduced: ReducedProblem, C: float) -> Floats:
        """Return theta on the free rows, that of rows inside their box as a line through both points has it.

        As long as the same rows are inside, their theta is linear in 1 / C.
        """
        theta = self.theta(reduced)
        if self.before is None:
            return theta
        rows, here, there = np.intersect1d(
            self.point.kinks, self.before.kinks, assume_unique=True, return_indices=True
        )
        places, found = reduced.positions_of(rows)
        now, then = self.point.theta[here[found]], self.before.theta[there[found]]
        ratio = (1.0 / C - 1.0 / self.point.C) / (1.0 / self.point.C - 1.0 / self.before.C)
        lower, upper = reduced.problem.box_of(rows[found])
        theta[places] = np.clip(now + ratio * (now - then), lower, upper)
        return theta


@dataclass(frozen=True, eq=False)
class Answer:
    """A primal point, theta of some free ``rows`` in ascending order, and how many steps they took.

    All other free rows rest, as known ones do. ``rows`` are ``reduced.free`` where theta is of all of them.
    """

    w: Floats
    rows: Indices
    theta: Floats
    iterations: int


class Solver(Protocol):
    """A solver: one method."""

    @property
    def name(self) -> str:
        """What the solver is called."""
        ...

    def solve(self, reduced: ReducedProblem, C: float, start: Start, tol: float) -> Answer:
        """Return a pair whose relative gap should not exceed ``tol``; the caller checks that it does."""
        ...
