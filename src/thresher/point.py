"""A pair (w, theta) at one C, with its proof, in little memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from thresher.loops.compiled import TINY

if TYPE_CHECKING:
    from thresher.certificate import Certificate
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices


@dataclass(frozen=True, eq=False)
class Point:
    """A certified pair (w, theta).

    theta_i is the bound that the sign of the score s_i(w) names, except for the rows ``kinks``, where it
    is ``theta``: few rows near an optimum, so a path of points costs little more than its weights.
    """

    C: float
    w: Floats
    kinks: Indices
    theta: Floats
    primal: float
    certificate: Certificate

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return self.certificate.gap / self._scale

    @cached_property
    def gap_bound(self) -> float:
        """The relative gap with every rounding counted against it: what a tolerance is held to."""
        return self.certificate.gap_bound / self._scale

    @property
    def _scale(self) -> float:
        return max(abs(self.primal), TINY)

    @property
    def dual(self) -> float:
        """The dual value D(theta)."""
        return self.primal - self.certificate.gap

    def theta_of(self, problem: Problem) -> Floats:
        """Return theta for all rows of the problem the point was certified for."""
        theta = np.where(problem.scores(self.w) > 0.0, problem.upper, problem.lower)
        theta[self.kinks] = self.theta
        return theta
