"""DVI as the paper prints it: a rule that takes the last solution for exact, however it was found.

It is here to show what that costs, and is not among the package's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thresher.fates import ReducedProblem
from thresher.ledger import Ledger
from thresher.paper.records import PRINTED, Settings, Trial
from thresher.paper.reference import Reference
from thresher.paper.runtime import trial
from thresher.point import Point
from thresher.problem import Problem
from thresher.regions import Ball, length


@dataclass(frozen=True)
class PrintedDvi:
    """The ball around (C0 + C) / (2 C0) w of radius |C - C0| / (2 C0) |w|, whatever the gap of w."""

    name: str = PRINTED

    def check(self, problem: Problem) -> None:
        """Accept every problem."""

    def screen(self, ledger: Ledger, point: Point, C: float, last: Callable[[], Point]) -> ReducedProblem:
        """Return the problem without the rows that the printed ball decides, rightly or wrongly."""
        w, ratio = point.certificate.w, C / point.C
        return ledger.screen(Ball(0.5 * (1.0 + ratio) * w, 0.5 * abs(ratio - 1.0) * length(w)))


def as_printed(reference: Reference, settings: Settings) -> list[Trial]:
    """Time no rule, the safe rule and the printed one, all at the loose gap."""
    return [trial(reference, rule, settings, settings.loose_gap) for rule in ("none", "dvi", PrintedDvi())]
