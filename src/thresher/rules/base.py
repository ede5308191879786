"""What a screening rule is: something that proves fates at C from what is proven elsewhere."""

from collections.abc import Callable
from typing import Protocol

from thresher.fates import ReducedProblem
from thresher.ledger import Ledger
from thresher.point import Point
from thresher.problem import Problem


class Rule(Protocol):
    """A screening rule.

    ``screen`` gets what is known of every row, the certified point at the nearest smaller C that is solved
    and the value of C that comes next, and returns the problem reduced to the rows it could not decide.
    ``last`` gives, when called, the point at the largest C of the path; a rule that never calls it does not
    pay for it.
    ``check`` raises ValueError where the rule does not apply to a problem.
    """

    @property
    def name(self) -> str:
        """What the rule is called."""
        ...

    def check(self, problem: Problem) -> None:
        """Raise ValueError if the rule does not apply to ``problem``."""

    def screen(
        self,
        ledger: Ledger,
        point: Point,
        C: float,
        last: Callable[[], Point],
    ) -> ReducedProblem:
        """Return the problem at C without the rows whose fate is proven."""
        ...
