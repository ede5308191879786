"""Fates of rows, and the problem that is left when some are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from thresher.point import Point

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

    def positions_of(self, rows: Indices) -> tuple[Indices, NDArray[np.bool_]]:
        """Return the places among the free rows of those of ``rows`` that are free, and which these are."""
        positions = np.searchsorted(self.free, rows)
        found = np.zeros(rows.size, dtype=np.bool_)
        inside = positions < self.free.size
        found[inside] = self.free[positions[inside]] == rows[inside]
        return positions[found], found

    def free_among(self, rows: Indices) -> Indices:
        """Return those of the rows that are free."""
        return rows[self.positions_of(rows)[1]]

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

    def known(self) -> Floats:
        """Return sum theta_i z_i over the known rows."""
        return self.ledger.image(self.free, np.broadcast_to(0.0, self.free.size))

    def certify(self, w: Floats, rows: Indices, theta: Floats, C: float) -> Point:
        """Return the pair of w and ``theta`` of some ``rows``, certified for the full problem: [GAP].

        ``rows`` ascend; free rows that are not among them rest, like the known ones. ``C`` is the one the
        rows were screened at; with every row FREE it may be any. Theta is kept in its box.

        Asked again for the same arrays, the answer is the same point: solvers certify to see how far they
        are, and the driver need not take their word for it.
        """
        last = self._last
        if not (last and last[0] is w and last[1] is rows and last[2] is theta and last[3] == C):
            last[:] = w, rows, theta, C, self.ledger.certify(w.copy(), rows, theta, C)
        found: Point = last[4]
        return found
