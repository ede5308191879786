"""The solution at one C, as users get it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher.certificate import Certificate
from thresher.fates import Fates
from thresher.point import Point
from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.status import Status


@dataclass(frozen=True, eq=False)
class Solution:
    """The solution at one C, with its proof."""

    problem: Problem
    point: Point
    status: Status
    screened: tuple[float, float]
    iterations: int
    seconds: dict[str, float]

    @property
    def C(self) -> float:
        """The regularisation; it multiplies the sum of the losses."""
        return self.point.C

    @property
    def w(self) -> Floats:
        """All weights, the intercept last where there is one."""
        return self.point.w

    @property
    def coef(self) -> Floats:
        """One weight a feature."""
        return self.w[: self.problem.features]

    @property
    def intercept(self) -> float:
        """The intercept, 0 in a model without."""
        return float(self.w[self.problem.features :].sum())

    @property
    def primal(self) -> float:
        """The primal value P(w)."""
        return self.point.primal

    @property
    def dual(self) -> float:
        """The dual value D(theta)."""
        return self.point.dual

    @property
    def gap(self) -> float:
        """The relative duality gap, (primal - dual) / max(|primal|, tiny)."""
        return self.point.gap

    @property
    def gap_bound(self) -> float:
        """The relative gap with every rounding counted against it; ``status`` goes by this one."""
        return self.point.gap_bound

    @property
    def certificate(self) -> Certificate:
        """What proves where the optimum is."""
        return self.point.certificate

    @cached_property
    def theta(self) -> Floats:
        """The dual variables of all rows."""
        return self.point.theta_of(self.problem)

    @cached_property
    def fates(self) -> Fates:
        """What the certificate proves of every row at this C: -1 LOWER, 0 FREE, +1 UPPER."""
        return self.problem.fates_over(self.certificate.ball(self.C))

    def record(self) -> dict[str, Any]:
        """Return the numbers of a table's line, by column."""
        lower, upper = self.screened
        return {
            "C": self.C,
            "primal": self.primal,
            "dual": self.dual,
            "gap": self.gap,
            "lower": lower,
            "upper": upper,
            "iterations": self.iterations,
            "seconds": self.seconds["total"],
            "status": str(self.status),
        }
