"""SSNSV (Ogawa et al. 2013): between two solutions, w* stays in half of a ball around zero."""

import math

from thresher.certificate import Certificate
from thresher.regions import Dome
from thresher.rules.interval import IntervalRule, cut, slack_of_loss


class Ssnsv(IntervalRule):
    """[SSNSV]: the ball around zero through the last solution, cut at the first."""

    name = "ssnsv"

    def region(self, first: Certificate, last: Certificate, C: float) -> Dome:
        """Return the dome that holds w*(C) for any C between both ends."""
        square = float(last.w @ last.w) + 2.0 * slack_of_loss(last) * C / last.C
        return cut(first, 0.0 * last.w, math.sqrt(square))
