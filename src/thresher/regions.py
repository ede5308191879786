"""Regions that must contain w*(C), and the range of the scores over them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher.loops.compiled import gamma

if TYPE_CHECKING:
    from thresher.rows.base import Floats

# A screen promises that every row it certifies clears zero by this share of the radius times |z_i| at
# w*. A solution found within that distance of w* then has the same signs there, and its certificate
# need not look at those rows again.
MARGIN = 0.02


def length(vector: Floats) -> float:
    """Return the Euclidean norm."""
    return math.sqrt(float(vector @ vector))


@dataclass(frozen=True, eq=False)
class Ball:
    """All w within ``radius`` of ``centre``; the radius includes the rounding error of the centre.

    Examples
    --------
    >>> import numpy as np
    >>> Ball(np.array([3.0, 4.0]), 1.0).contains(np.array([3.0, 4.5]))
    True
    """

    centre: Floats
    radius: float

    @property
    def margin(self) -> float:
        """How far, per unit of norm, a certified row's score stays from zero at w*."""
        return MARGIN * self.radius

    def contains(self, w: Floats) -> bool:
        """Say whether ``w`` lies in the region."""
        return length(w - self.centre) <= self.radius

    def normal_of_cut(self) -> Floats:
        """Return the normal of the half-space that cuts the ball: none here."""
        return np.zeros_like(self.centre)

    def parameters(self) -> Floats:
        """Return what `loops.passes.scan` takes: geometry, margin, and the rounding slack."""
        return self._parameters(depth=0.0, spread=0.0, normal_square=0.0)

    def _parameters(self, depth: float, spread: float, normal_square: float) -> Floats:
        error = gamma(self.centre.size + 8)
        size = length(self.centre) + self.radius
        return np.array([self.radius, depth, spread, normal_square, self.margin, error * size, error])


@dataclass(frozen=True, eq=False)
class Dome(Ball):
    """The part of a ball with <normal, w> <= level: [DOME]."""

    normal: Floats
    level: float

    def contains(self, w: Floats) -> bool:
        return super().contains(w) and float(self.normal @ w) <= self.level

    def normal_of_cut(self) -> Floats:
        return self.normal

    def parameters(self) -> Floats:
        normal_square = float(self.normal @ self.normal)
        if normal_square == 0.0:
            return super().parameters()
        depth = self.level - float(self.normal @ self.centre)
        # A deeper cut is a larger region: rounding is given to that side.
        depth += (
            4.0
            * gamma(self.centre.size + 4)
            * (abs(self.level) + math.sqrt(normal_square) * length(self.centre))
        )
        spread = math.sqrt(max(self.radius**2 - depth**2 / normal_square, 0.0))
        spread += math.sqrt(8.0 * gamma(self.centre.size + 8)) * self.radius
        return self._parameters(depth, spread, normal_square)
