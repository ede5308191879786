"""ESSNSV: the paper's improvement of SSNSV, a ball of half the radius."""

import math

from thresher.certificate import Certificate
from thresher.regions import Dome
from thresher.rules.interval import IntervalRule, cut, slack_of_loss


class Essnsv(IntervalRule):
    """[ESSNSV]: the ball with the segment from zero to the last solution as diameter, cut as in SSNSV."""

    name = "essnsv"

    def region(self, first: Certificate, last: Certificate, C: float) -> Dome:
        """Return the dome that holds w*(C) for any C between both ends."""
        square = 0.25 * float(last.w @ last.w) + slack_of_loss(last) * C / last.C
        return cut(first, 0.5 * last.w, math.sqrt(square))
