"""Regions that must contain w*(C), and the range of the scores over them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher.loops.compiled import gamma

if TYPE_CHECKING:
    from thresher.anchor import Anchor
    from thresher.frame import Frame
    from thresher.rows.base import Floats


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

    def contains(self, w: Floats) -> bool:
        """Say whether ``w`` lies in the region."""
        return length(w - self.centre) <= self.radius

    def is_loose(self, norm: float) -> bool:
        """Say whether a free intercept has more room than the weights, for a row of length ``norm``."""
        return True

    def level_of(self, weights: Floats) -> float:
        """Return the free intercept that goes with ``weights``, as far as the region knows."""
        return 0.0

    def normal_of_cut(self) -> Floats:
        """Return the normal of the half-space that cuts the ball: none here."""
        return np.zeros_like(self.centre)

    def parameters(self, frame: Frame) -> Floats:
        """Return what `loops.passes.scan` takes as its region."""
        error = gamma(self.centre.size + 8)
        size = length(self.centre) + self.radius
        return np.array([self.radius, 0.0, 0.0, 0.0, error * size, error, -1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Dome(Ball):
    """The part of a ball with <normal, w> <= level: [DOME]."""

    normal: Floats
    level: float

    def contains(self, w: Floats) -> bool:
        return super().contains(w) and float(self.normal @ w) <= self.level

    def normal_of_cut(self) -> Floats:
        return self.normal

    def parameters(self, frame: Frame) -> Floats:
        parameters = super().parameters(frame)
        normal_square = float(self.normal @ self.normal)
        if normal_square == 0.0:
            return parameters
        depth = self.level - float(self.normal @ self.centre)
        # A deeper cut is a larger region: rounding is given to that side.
        depth += (
            4.0
            * gamma(self.centre.size + 4)
            * (abs(self.level) + math.sqrt(normal_square) * length(self.centre))
        )
        spread = math.sqrt(max(self.radius * self.radius - depth * depth / normal_square, 0.0))
        spread += math.sqrt(8.0 * gamma(self.centre.size + 8)) * self.radius
        parameters[1:4] = depth, spread, normal_square
        return parameters


@dataclass(frozen=True, eq=False)
class Anchored(Ball):
    """A ball of weights, with a free intercept that is bound to the weights: [ANCHOR].

    The intercept is the anchor's for the weights w, up to (radius^2 - |w - centre|^2) / strength.
    """

    anchor: Anchor
    strength: float

    def is_loose(self, norm: float) -> bool:
        return self.strength * norm < 2.0 * self.radius

    def level_of(self, weights: Floats) -> float:
        return self.anchor.level(weights)

    def normal_of_cut(self) -> Floats:
        return self.anchor.place

    def parameters(self, frame: Frame) -> Floats:
        parameters = super().parameters(frame)
        size = length(self.centre) + self.radius
        level = self.anchor.level(self.centre)
        rounding = gamma(self.centre.size + 8) * (
            frame.shift(self.centre, level) + length(self.anchor.place) * size
        )
        parameters[3] = float(self.anchor.place @ self.anchor.place)
        parameters[6:] = self.strength, rounding + self.anchor.error(size)
        return parameters
