"""What rows add to a certificate, as sums over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher.loops import passes
from thresher.loops.compiled import gamma
from thresher.regions import length

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over rows at a pair (w, theta).

    ================  ==========================================================================
    image             sum theta_i z_i, with sum theta_i a_i last where there is an intercept
    mass, charge      sum |theta_i| |z_i| and sum |theta_i a_i|: what the image's rounding goes by
    complementarity   sum phi_i(s_i) - theta_i s_i
    loss              sum phi_i(s_i)
    slack             how much larger the complementarity may be than computed
    image_error       how far the image may be from an admissible one besides its rounding
    ================  ==========================================================================
    """

    image: Floats
    mass: float
    charge: float
    complementarity: float = 0.0
    loss: float = 0.0
    slack: float = 0.0
    image_error: float = 0.0

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.image + other.image,
            self.mass + other.mass,
            self.charge + other.charge,
            self.complementarity + other.complementarity,
            self.loss + other.loss,
            self.slack + other.slack,
            self.image_error + other.image_error,
        )

    def __sub__(self, other: Sums) -> Sums:
        return Sums(
            self.image - other.image,
            self.mass - other.mass,
            self.charge - other.charge,
            self.complementarity - other.complementarity,
            self.loss - other.loss,
            self.slack - other.slack,
            self.image_error - other.image_error,
        )


@dataclass(frozen=True, eq=False)
class Share:
    """What some rows add: their sums, and the open rows among them with their theta.

    A row is open where theta is not plainly the bound that the sign of its score asks for.
    """

    sums: Sums
    kinks: Indices
    theta: Floats

    def joined(self, other: Share) -> Share:
        """Return what both sets of rows add, open rows in ascending order."""
        kinks = np.concatenate([self.kinks, other.kinks])
        order = np.argsort(kinks)
        theta = np.concatenate([self.theta, other.theta])
        return Share(self.sums + other.sums, kinks[order], theta[order])


def share_of(problem: Problem, index: Indices, theta: Floats, w: Floats) -> Share:
    """Return what the rows ``index`` add at (w, theta), theta kept in its box."""
    frame = problem.frame
    weights = frame.weights(w)
    rounding = gamma(w.size + 4) * np.array([length(weights), 1.0, frame.shift(weights, float(w[-1]))])
    image, open_rows = np.zeros(w.size), np.empty(index.size, dtype=np.bool_)
    complementarity, loss, slack, mass, charge = passes.certify(
        *problem.arrays(), problem.sample_norms, index, w, theta, rounding, image, open_rows
    )
    positions = np.flatnonzero(open_rows)
    kinks = index[positions]
    lower, upper = problem.box_of(kinks)
    values = np.clip(theta[positions], lower, upper)
    return Share(Sums(image, mass, charge, complementarity, loss, slack), kinks, values)
