"""What SSNSV and ESSNSV share: both bound w* between two solutions by a ball that is cut in half."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

from thresher.certificate import Certificate
from thresher.fates import ReducedProblem
from thresher.ledger import Ledger
from thresher.loops.compiled import gamma
from thresher.point import Point
from thresher.problem import Problem
from thresher.regions import Dome
from thresher.rows.base import Floats


class IntervalRule(ABC):
    """A rule for every C between a solution at a smaller C and one at the largest.

    The region is widened by the certificates of both ends, so that it holds for approximate solutions;
    exact ends give the rule of the paper.
    """

    name: str

    def check(self, problem: Problem) -> None:
        """Accept support vector machines only: the rules were derived for the hinge."""
        if problem.frame.is_free:
            raise ValueError(f"rule {self.name!r} is for the model without a free intercept; use rule 'dvi'")
        if problem.loss != "hinge":
            raise ValueError(
                f"rule {self.name!r} is for the SVM (hinge loss), this problem's loss is "
                f"{problem.loss!r}; use rule 'dvi'"
            )

    @abstractmethod
    def region(self, first: Certificate, last: Certificate, C: float) -> Dome:
        """Return the dome that holds w*(C) for any C between both ends."""

    def screen(self, ledger: Ledger, point: Point, C: float, last: Callable[[], Point]) -> ReducedProblem:
        """Return the problem without the rows that the dome decides."""
        return ledger.screen(self.region(point.certificate, last().certificate, C))


def slack_of_loss(last: Certificate) -> float:
    """Return eta with Phi(w*(C)) >= Phi(w_b) - eta / C_b for every C up to C_b."""
    return last.distance * last.distance + last.distance * math.sqrt(float(last.w @ last.w))


def cut(first: Certificate, centre: Floats, radius: float) -> Dome:
    """Return the ball cut by the half-space that the pair at the smaller C proves.

    <u_a, w> >= <u_a, w_a> - kappa_a - |w_a| sqrt(2 G_a): at an exact pair <w_a, w - w_a> >= 0.
    """
    length = math.sqrt(float(first.w @ first.w))
    slack = first.kappa + first.rounding + length * first.distance
    # u's own error tilts the half-space; over the ball that is worth this much.
    reach = math.sqrt(float(centre @ centre)) + radius + length
    slack += first.u_error * reach
    return Dome(centre, radius * (1.0 + gamma(centre.size + 8)), -first.u, slack - float(first.u @ first.w))
