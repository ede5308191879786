"""The solutions that everything is checked against: no screening, and as exact as rounding allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thresher.fates import Fates
from thresher.grid import Origin, find_origin
from thresher.paper.records import Checked
from thresher.path import Path, solve_path
from thresher.point import Point
from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.solvers import Newton

# The gap asked for; Newton's finish goes on to rounding whatever is asked.
TOL = 1e-9
# A gap of this share of the radius that a step in C costs anyway leaves DVI nearly as it is: [CARRY].
LITTLE = 0.1


@dataclass(frozen=True, eq=False)
class Reference:
    """The unscreened path of a problem, by Newton."""

    problem: Problem
    path: Path

    @classmethod
    def of(cls, problem: Problem, C: Floats) -> Reference:
        """Solve ``problem`` at all C, nothing screened."""
        return cls(problem, solve_path(problem, C, rule="none", solver="newton", tol=TOL))

    @property
    def _first(self) -> float:
        return float(self.path.C[0])

    @cached_property
    def origin(self) -> Origin:
        """Where the path begins in closed form."""
        return find_origin(self.problem, Newton(), self._first, TOL)

    @cached_property
    def start(self) -> Point:
        """The closed-form point to screen the first C from."""
        return self.origin.point_at(min(self.origin.C, self._first))

    def before(self, k: int) -> Point:
        """Return the point that precedes the k-th C."""
        return self.path[k - 1].point if k else self.start

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """For every C and row the side of the kink it lies on, 0 where it may lie on the kink itself."""
        norms = self.problem.norms()
        signs = np.empty((len(self.path), self.problem.size), dtype=np.int8)
        for k, solution in enumerate(self.path):
            scores = self.problem.scores(solution.w)
            near = np.abs(scores) <= solution.certificate.distance * norms
            signs[k] = np.where(near, 0.0, np.sign(scores))
        return signs

    def check(self, fates: Iterable[Fates]) -> Checked:
        """Count the rows discarded over all C, and those that are support vectors here.

        Wrong is a discarded row that lies on the kink, or on the other side of it.
        """
        discarded = wrong = 0
        for found, signs in zip(fates, self.signs, strict=True):
            proven = found != 0
            discarded += int(np.count_nonzero(proven))
            wrong += int(np.count_nonzero(proven & (found != signs)))
        return Checked(discarded, wrong)

    @property
    def worst_gap(self) -> float:
        """The largest relative gap of the path, with every rounding counted against it."""
        return float(self.path.gap_bound.max())

    def bearable_gaps(self) -> list[float]:
        """Return for each C the relative gap that costs DVI little at the next one: [CARRY]."""
        C = self.path.C
        ratio = C[1] / C[0] if C.size > 1 else 1.0
        squares = np.array([float(solution.certificate.w @ solution.certificate.w) for solution in self.path])
        bearable = LITTLE * (ratio - 1.0) ** 2 * squares / (4.0 * ratio * self.path.primal)
        return [float(value) for value in bearable]
