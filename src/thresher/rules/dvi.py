"""DVI in weight form, safe for approximate solutions: the ball of [CARRY] is scanned once per C."""

from collections.abc import Callable
from dataclasses import dataclass

from thresher.fates import ReducedProblem
from thresher.ledger import Ledger
from thresher.point import Point
from thresher.problem import Problem


@dataclass(frozen=True)
class Dvi:
    """[DVI]: at an exact solution the paper's DVI_s, otherwise the smallest change that keeps it safe."""

    name: str = "dvi"

    def check(self, problem: Problem) -> None:
        """Accept every problem."""

    def screen(self, ledger: Ledger, point: Point, C: float, last: Callable[[], Point]) -> ReducedProblem:
        """Return the problem without the rows that the carried ball decides."""
        return ledger.carry(point, C)
