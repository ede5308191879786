"""Fates of rows, and the problem that is left when some are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.certificate import Certificate
from thresher.loops import passes
from thresher.loops.compiled import BLOCK, gamma
from thresher.point import Point
from thresher.regions import length

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices

LOWER: Final = -1
FREE: Final = 0
UPPER: Final = 1

Fates = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Reduced:
    """A problem restricted to its FREE rows: [REDUCE].

    The known rows stay behind as ``linear`` = sum theta_i z_i and ``constant`` = sum theta_i o_i, with
    theta_i the bound that the fate names; ``mass`` = sum |theta_i| |z_i| bounds their rounding. At w*
    every known row's score clears zero by at least ``margin`` |z_i|.
    """

    problem: Problem
    fates: Fates
    linear: Floats
    constant: float
    mass: float
    margin: float
    _last: list[Any] = field(default_factory=list, init=False, repr=False)

    @cached_property
    def free(self) -> Indices:
        """The undecided rows."""
        return np.flatnonzero(self.fates == FREE)

    def positions_of(self, rows: Indices) -> tuple[Indices, NDArray[np.bool_]]:
        """Return the places among the free rows of those of ``rows`` that are free, and which these are."""
        positions = np.searchsorted(self.free, rows)
        found = np.zeros(rows.size, dtype=np.bool_)
        inside = positions < self.free.size
        found[inside] = self.free[positions[inside]] == rows[inside]
        return positions[found], found

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of all rows that are proven LOWER and UPPER."""
        lower = int(np.count_nonzero(self.fates == LOWER))
        known = self.fates.size - self.free.size
        return lower / self.fates.size, (known - lower) / self.fates.size

    def box(self) -> tuple[Floats, Floats]:
        """Return lower and upper for the free rows (one value where all rows share it)."""
        lower, upper = self.problem.lower, self.problem.upper
        return (
            lower[self.free] if lower.size > 1 else lower,
            upper[self.free] if upper.size > 1 else upper,
        )

    def image_of(self, theta: Floats, positions: Indices) -> Floats:
        """Return sum theta_k z_k over the free rows at ``positions``."""
        problem = self.problem
        return problem.rows.image(problem.scale, self.free[positions], theta[positions], problem.dimension)

    def survey(
        self, w: Floats, last: Floats, reach: float, width: float, chosen: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Choose the free rows that may reach their kink near ``w``, see `loops.passes.survey`.

        Returns theta, at the bounds that the scores at ``last`` (chosen rows) and ``w`` (others) name,
        and sum theta_k z_k over the others.
        """
        problem = self.problem
        theta, others = np.empty(self.free.size), np.zeros(w.size)
        passes.survey(*problem.arrays(), self.free, w, last, reach, width, chosen, theta, others)
        return theta, others

    def scores(self, w: Floats, positions: Indices | slice = slice(None)) -> Floats:
        """Return the scores of the free rows, or of those at ``positions`` among them."""
        problem = self.problem
        return problem.rows.scores_at(problem.scale, problem.offsets, self.free[positions], w)

    def bounds(self, scores: Floats, positions: Indices | slice = slice(None)) -> Floats:
        """Return the bounds of theta that ``scores`` name, for the same rows."""
        lower, upper = self.box()
        lower = lower[positions] if lower.size > 1 else lower
        upper = upper[positions] if upper.size > 1 else upper
        return np.where(scores > 0.0, upper, lower)

    def certify(self, w: Floats, theta: Floats, C: float) -> Point:
        """Return the pair (w, theta over the free rows), certified for the full problem: [GAP].

        ``C`` is the one the rows were screened at; with every row FREE it may be any.

        Known rows add nothing to kappa where their scores at w have the proven signs. That is proven
        too when w is closer to w* than the margin the screen left; otherwise they are looked at.

        Asked again for the same two arrays, the answer is the same point: solvers certify to see how far
        they are, and the driver need not take their word for it.
        """
        if not (self._last and self._last[0] is w and self._last[1] is theta and self._last[2] == C):
            self._last[:] = w, theta, C, self._certified(w.copy(), theta, C)
        point: Point = self._last[3]
        return point

    def _certified(self, w: Floats, theta: Floats, C: float) -> Point:
        image, terms, kinks = self._terms(self.free, theta, w)
        certificate = self._certificate(w, image + self.linear, terms, self.mass, C)
        loss = terms.loss + float(self.linear @ w) + self.constant
        theta = theta[kinks]
        kinks = self.free[kinks]
        if self.free.size < self.fates.size and certificate.distance > self.margin:
            known = np.flatnonzero(self.fates != FREE)
            bounds = restore(self.problem, self.fates)[known]
            _, more, open_known = self._terms(known, bounds, w)
            loss = terms.loss + more.loss
            terms = Terms(
                terms.complementarity + more.complementarity,
                loss,
                terms.slack + more.slack,
                terms.mass,
            )
            certificate = self._certificate(w, image + self.linear, terms, self.mass, C)
            kinks = np.concatenate([kinks, known[open_known]])
            theta = np.concatenate([theta, bounds[open_known]])
            order = np.argsort(kinks)
            kinks, theta = kinks[order], theta[order]
        return Point(C, w, kinks, theta, 0.5 * float(w @ w) + C * loss, certificate)

    def _terms(self, index: Indices, theta: Floats, w: Floats) -> tuple[Floats, Terms, Indices]:
        """Return sum theta_i z_i, the certificate's sums, and the positions of the open rows."""
        problem = self.problem
        error = gamma(w.size + 4)
        rounding = np.array([error * length(w), error])
        image = np.zeros(w.size)
        open_rows = np.empty(index.size, dtype=np.bool_)
        sums = passes.certify(
            *problem.arrays(), problem.sample_norms, index, w, theta, rounding, image, open_rows
        )
        return image, Terms(*sums), np.flatnonzero(open_rows)

    def _certificate(self, w: Floats, image: Floats, terms: Terms, mass: float, C: float) -> Certificate:
        u_error = gamma(BLOCK + 8) * C * (terms.mass + mass)
        kappa = C * terms.complementarity
        rounding = C * terms.slack + gamma(w.size + self.fates.size) * kappa
        return Certificate(C, w, -C * image, kappa, rounding, u_error)


class Terms(NamedTuple):
    """Sums over rows: phi - theta s, phi, the rounding slack of the former, |theta| |z|."""

    complementarity: float
    loss: float
    slack: float
    mass: float


def restrict(problem: Problem, fates: Fates, margin: float = 0.0) -> Reduced:
    """Return ``problem`` with the rows of known fate set aside, wherever the fates come from."""
    theta = restore(problem, fates)
    return Reduced(
        problem,
        fates,
        linear=problem.combination(theta),
        constant=float(np.sum(theta * problem.offsets)),
        mass=float(np.abs(theta) @ problem.norms()),
        margin=margin,
    )


def restore(problem: Problem, fates: Fates) -> Floats:
    """Return theta over all rows: the bound that a known fate names, zero where it is FREE."""
    theta = np.zeros(problem.size)
    np.copyto(theta, problem.upper, where=fates == UPPER)
    np.copyto(theta, problem.lower, where=fates == LOWER)
    return theta
