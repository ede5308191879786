"""No screening: every row goes to the solver."""

from collections.abc import Callable
from dataclasses import dataclass

from thresher.fates import ReducedProblem
from thresher.ledger import Ledger
from thresher.point import Point
from thresher.problem import Problem


@dataclass(frozen=True)
class NoRule:
    """Proves nothing; what the others are compared with."""

    name: str = "none"

    def check(self, problem: Problem) -> None:
        """Accept every problem."""

    def screen(self, ledger: Ledger, point: Point, C: float, last: Callable[[], Point]) -> ReducedProblem:
        """Return the whole problem."""
        return ledger.everything()
