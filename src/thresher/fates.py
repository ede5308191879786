"""Fates of rows, and the problem that is left when some are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from thresher.loops import looks
from thresher.point import Point
from thresher.regions import length

if TYPE_CHECKING:
    from thresher.ledger import Ledger
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices

LOWER: Final = -1
FREE: Final = 0
UPPER: Final = 1

Fates = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem restricted to its FREE rows: [REDUCE].

    Known rows rest in the ledger at the bounds that their fates name, ``lower`` of them at the lower one.
    Free ones rest where they were last seen, until a solver moves them. It is to be used before the ledger
    goes on.
    """

    ledger: Ledger
    free: Indices
    lower: int
    _last: list[Any] = field(default_factory=list, init=False, repr=False)

    @property
    def problem(self) -> Problem:
        """The problem of all rows."""
        return self.ledger.problem

    @cached_property
    def fates(self) -> Fates:
        """LOWER, FREE or UPPER for every row."""
        fates = self.ledger.sides.copy()
        fates[self.free] = FREE
        return fates

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of all rows that are proven LOWER and UPPER."""
        size = self.problem.size
        return self.lower / size, (size - self.free.size - self.lower) / size

    @cached_property
    def resting(self) -> Floats:
        """Where theta of the free rows rests."""
        return self.ledger.resting(self.free)

    def positions_of(self, rows: Indices) -> tuple[Indices, NDArray[np.bool_]]:
        """Return the places among the free rows of those of ``rows`` that are free, and which these are."""
        positions = np.searchsorted(self.free, rows)
        found = np.zeros(rows.size, dtype=np.bool_)
        inside = positions < self.free.size
        found[inside] = self.free[positions[inside]] == rows[inside]
        return positions[found], found

    def box(self) -> tuple[Floats, Floats]:
        """Return lower and upper for the free rows (one value where all rows share it)."""
        return self.problem.box_of(self.free)

    def bounds(self, signs: Floats | Fates) -> Floats:
        """Return the bounds of theta that ``signs`` of the free rows name."""
        lower, upper = self.box()
        return np.where(signs > 0, upper, lower)

    def scores(self, w: Floats, positions: Indices | slice = slice(None)) -> Floats:
        """Return the scores of the free rows, or of those at ``positions`` among them."""
        problem = self.problem
        return problem.rows.scores_at(problem.scale, problem.offsets, self.free[positions], w)

    def image_without(self, chosen: NDArray[np.bool_], theta: Floats) -> Floats:
        """Return sum theta_i z_i over all rows, known ones at their bounds, but for the ``chosen`` ones."""
        return self._image(np.where(chosen, 0.0, theta))

    def known(self) -> Floats:
        """Return sum theta_i z_i over the known rows."""
        return self._image(np.zeros(self.free.size))

    def _image(self, theta: Floats) -> Floats:
        change = theta - self.resting
        positions = np.flatnonzero(change)
        problem = self.problem
        moved = problem.rows.image(problem.scale, self.free[positions], change[positions], problem.dimension)
        return self.ledger.rest().image + moved

    def survey(
        self, before: Floats, w: Floats, reach: float, width: float, chosen: NDArray[np.bool_]
    ) -> Floats:
        """Choose the free rows that may reach their kink near ``w``, see `loops.looks.survey`.

        ``chosen``, which changes in place, are rows to be chosen anyway. Returns theta at the bounds that
        signs name: those at ``before`` for chosen rows, those at w for others.
        """
        problem, frame, ledger = self.problem, self.problem.frame, self.ledger
        step = frame.weights(w) - frame.weights(before)
        signs = np.empty(self.free.size, dtype=np.int8)
        looks.survey(
            problem.rows.data,
            problem.samples,
            problem.scale,
            problem.offsets,
            problem.sample_norms,
            before,
            w,
            ledger.gauge,
            np.array([length(step), abs(frame.level(w) - frame.level(before))]),
            reach,
            width,
            ledger.seen,
            ledger.when,
            self.free,
            chosen,
            signs,
        )
        return self.bounds(signs)

    def certify(self, w: Floats, theta: Floats, C: float) -> Point:
        """Return the pair (w, theta over the free rows), certified for the full problem: [GAP].

        ``C`` is the one the rows were screened at; with every row FREE it may be any. Theta is kept in its
        box.

        Asked again for the same two arrays, the answer is the same point: solvers certify to see how far
        they are, and the driver need not take their word for it.
        """
        if not (self._last and self._last[0] is w and self._last[1] is theta and self._last[2] == C):
            changed = np.flatnonzero(theta != self.resting)
            point = self.ledger.certify(w.copy(), self.free[changed], theta[changed], C)
            self._last[:] = w, theta, C, point
        found: Point = self._last[3]
        return found
