"""What holds a free intercept: the rows strictly inside their box, which stay near the kink: [ANCHOR]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher.loops.compiled import gamma
from thresher.regions import length

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices

# Rows that make an anchor, at most: those with most room. An optimum has few more rows inside the box than
# dimensions; a poor pair has many, and no use for them all.
MOST_ROWS = 256


@dataclass(frozen=True, eq=False)
class Anchor:
    """A weighted mean of rows inside their box: x_k / a_k is ``place``, o_k / a_k is ``offset``.

    ``weight`` = sum of min(upper_k - theta_k, theta_k - lower_k) |a_k|, zero where there are no such rows
    and less than computed by twice the ``uncertainty`` of theta; ``rounding`` is how far offset may be
    off, and place per unit of a weight vector's length.
    """

    place: Floats
    offset: float
    weight: float
    uncertainty: float
    rounding: tuple[float, float] = (0.0, 0.0)

    def error(self, size: float) -> float:
        """Return how far the level may be off for weights of length ``size``."""
        return self.rounding[0] + self.rounding[1] * size

    def level(self, weights: Floats) -> float:
        """Return the intercept that puts the mean of the anchor's rows at the kink."""
        return -float(self.place @ weights) - self.offset


def anchor_of(problem: Problem, kinks: Indices, theta: Floats, uncertainty: float) -> Anchor:
    """Return the anchor of the open rows ``kinks``, whose theta is exact up to ``uncertainty`` in total."""
    lower, upper = problem.box_of(kinks)
    scale, offsets = (problem.own(values, kinks) for values in (problem.scale, problem.offsets))
    room = np.minimum(upper - theta, theta - lower) * np.abs(scale)
    chosen = np.flatnonzero(room > 0.0)
    if chosen.size > MOST_ROWS:
        chosen = np.sort(chosen[np.argpartition(-room[chosen], MOST_ROWS)[:MOST_ROWS]])
    room, scale, offsets, rows = room[chosen], scale[chosen], offsets[chosen], kinks[chosen]
    weight = float(room.sum())
    if weight <= 2.0 * uncertainty:
        return Anchor(np.zeros(problem.features), 0.0, 0.0, uncertainty)
    shares = room / weight
    crossing = offsets / scale
    mean = problem.frame.image(problem.rows.image(problem.scale, rows, shares / scale, problem.dimension))
    error = gamma(rows.size + problem.dimension + 8)
    longest = float(problem.sample_norms[rows % problem.samples].max()) + 2.0 * length(problem.frame.mean)
    return Anchor(
        mean,
        float(shares @ crossing),
        (weight - 2.0 * uncertainty) * (1.0 - error),
        uncertainty,
        (error * float(np.abs(crossing).max()), error * longest),
    )
