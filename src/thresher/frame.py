"""The coordinates in which proofs are made: where the penalty is half the square of all weights.

Without an intercept, or with a penalised one, that is w itself: the intercept is one more weight, for a
column of ones. A free intercept is not penalised, so it is kept apart, and every other weight is seen
from the mean of the samples: moving the origin moves the intercept and nothing else, and rows are
shortest around their mean. No data is moved: <x - mean, v> + level = <x, v> + (level - <mean, v>).

All problems over the same rows share one frame for each kind of intercept. Samples taken from others keep
the frame of these: any point near their mean serves as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from thresher.regions import length

if TYPE_CHECKING:
    from thresher.rows.base import Floats, Indices, Rows


@dataclass(frozen=True, eq=False)
class Frame:
    """All of w is penalised; ``constant`` is the entry of its column of ones, 0 where there is none.

    ``norms`` are the lengths of the samples in this frame.
    """

    mean: Floats
    constant: float
    norms: Floats

    @property
    def is_free(self) -> bool:
        """Whether theta has to satisfy sum a_i theta_i = 0."""
        return False

    @property
    def dimension(self) -> int:
        """The length of w."""
        return self.mean.size + int(self.constant)

    def take(self, samples: Indices) -> Self:
        """Return this frame for the ``samples`` alone."""
        return replace(self, norms=self.norms[samples])

    def weights(self, w: Floats) -> Floats:
        """Return the penalised part of w."""
        return w

    def level(self, w: Floats) -> float:
        """Return the free intercept at the mean of the samples."""
        return 0.0

    def joined(self, weights: Floats, level: float) -> Floats:
        """Return the w of these weights and this level."""
        return weights

    def image(self, total: Floats) -> Floats:
        """Return sum theta_i z_i in this frame, given the same sum over rows as they are stored."""
        return total

    def shift(self, weights: Floats, level: float) -> float:
        """Return what the rounding of a score is to be multiplied by besides the row's length."""
        return 0.0


@dataclass(frozen=True, eq=False)
class FreeFrame(Frame):
    """The intercept, last in w, is free; the other weights are seen from the mean of the samples."""

    @property
    def is_free(self) -> bool:
        return True

    @property
    def dimension(self) -> int:
        return self.mean.size + 1

    def weights(self, w: Floats) -> Floats:
        return w[:-1]

    def level(self, w: Floats) -> float:
        return float(w[-1] + self.mean @ w[:-1])

    def joined(self, weights: Floats, level: float) -> Floats:
        return np.append(weights, level - float(self.mean @ weights))

    def image(self, total: Floats) -> Floats:
        image: Floats = total[:-1] - self.mean * total[-1]
        return image

    @cached_property
    def mean_length(self) -> float:
        """The length of the mean."""
        return length(self.mean)

    def shift(self, weights: Floats, level: float) -> float:
        return 2.0 * self.mean_length * length(weights) + abs(level)


def frame_of(rows: Rows, intercept: str) -> Frame:
    """Return the frame of a model's intercept: "none", "penalised" or "free"."""
    if intercept not in rows.frames:
        rows.frames[intercept] = _new_frame(rows, intercept)
    frame: Frame = rows.frames[intercept]
    return frame


def _new_frame(rows: Rows, intercept: str) -> Frame:
    if intercept == "free":
        mean = rows.mean()
        return FreeFrame(mean, 0.0, rows.norms(0.0, mean))
    origin, constant = np.zeros(rows.features), float(intercept == "penalised")
    return Frame(origin, constant, rows.norms(constant, origin))
