"""Fates of rows, and the problem that is left when some are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from thresher.anchor import anchor_of
from thresher.balance import balanced
from thresher.certificate import Certificate
from thresher.loops import passes
from thresher.loops.compiled import BLOCK, gamma
from thresher.point import Point
from thresher.regions import Region, length
from thresher.sums import Share, Sums, share_of

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices

LOWER: Final = -1
FREE: Final = 0
UPPER: Final = 1

Fates = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem restricted to its FREE rows: [REDUCE].

    The known rows stay behind as ``linear`` = sum theta_i z_i and ``constant`` = sum theta_i o_i, with
    theta_i the bound that the fate names; ``mass`` = sum |theta_i| |z_i| and ``charge`` = sum |theta_i a_i|
    bound their rounding. ``region`` is where the known rows are proven to have their signs.
    """

    problem: Problem
    fates: Fates
    linear: Floats
    constant: float
    mass: float
    charge: float = 0.0
    region: Region | None = None
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
        return self.problem.box_of(self.free)

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
        too when the region they were screened over covers w; otherwise they are looked at.

        Asked again for the same two arrays, the answer is the same point: solvers certify to see how far
        they are, and the driver need not take their word for it.
        """
        if not (self._last and self._last[0] is w and self._last[1] is theta and self._last[2] == C):
            self._last[:] = w, theta, C, self._certified(w.copy(), theta, C)
        point: Point = self._last[3]
        return point

    def _certified(self, w: Floats, theta: Floats, C: float) -> Point:
        problem = self.problem
        share = share_of(problem, self.free, theta, w)
        known = Sums(self.linear, self.mass, self.charge, loss=float(self.linear @ w) + self.constant)
        sums = known + share.sums
        if problem.frame.is_free:
            share, sums = balanced(problem, self.free, theta, w, share, sums)
        certificate = self._certificate(w, share, sums, C)
        hold = self.region is not None and self.region.covers(certificate)
        if self.free.size < self.fates.size and not hold:
            rows = np.flatnonzero(self.fates != FREE)
            looked_at = share_of(problem, rows, restore(problem, self.fates)[rows], w)
            share, sums = share.joined(looked_at), sums - known + looked_at.sums
            certificate = self._certificate(w, share, sums, C)
        weights = problem.frame.weights(w)
        primal = 0.5 * float(weights @ weights) + C * sums.loss
        return Point(C, w, share.kinks, share.theta, primal, certificate)

    def _certificate(self, w: Floats, share: Share, sums: Sums, C: float) -> Certificate:
        frame = self.problem.frame
        kappa = C * max(sums.complementarity, 0.0)
        rounding = gamma(BLOCK + 8) * sums.charge
        anchor = anchor_of(self.problem, share.kinks, share.theta, rounding) if frame.is_free else None
        return Certificate(
            C,
            frame.weights(w),
            u=-C * frame.image(sums.image),
            kappa=kappa,
            rounding=C * sums.slack + gamma(w.size + self.fates.size) * kappa,
            u_error=C
            * (gamma(BLOCK + 8) * (sums.mass + length(frame.mean) * sums.charge) + sums.image_error),
            level=frame.level(w),
            anchor=anchor,
        )


def restrict(problem: Problem, fates: Fates, region: Region | None = None) -> ReducedProblem:
    """Return ``problem`` with the rows of known fate set aside, wherever the fates come from."""
    theta = restore(problem, fates)
    return ReducedProblem(
        problem,
        fates,
        linear=problem.combination(theta),
        constant=float(np.sum(theta * problem.offsets)),
        mass=float(np.abs(theta) @ problem.norms()),
        charge=float(np.sum(np.abs(theta * problem.scale))),
        region=region,
    )


def restore(problem: Problem, fates: Fates) -> Floats:
    """Return theta over all rows: the bound that a known fate names, zero where it is FREE."""
    theta = np.zeros(problem.size)
    np.copyto(theta, problem.upper, where=fates == UPPER)
    np.copyto(theta, problem.lower, where=fates == LOWER)
    return theta
