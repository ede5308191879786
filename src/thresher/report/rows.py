"""What a solution says about its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from thresher.solution import Solution


def kink_rows(solution: Solution) -> NDArray[np.bool_]:
    """Say which rows the solution holds at their kink: theta strictly inside its box.

    That is what one solution shows, not a proof; a row whose fate is proven is not among them.
    """
    # Not solution.theta, which would keep theta of all rows for every C.
    problem, theta = solution.problem, solution.point.theta_of(solution.problem)
    inside = (theta > problem.lower) & (theta < problem.upper)
    return np.asarray(inside & (solution.fates == 0))


def fate_counts(solution: Solution) -> dict[str, int]:
    """Return how many rows are proven LOWER and UPPER, at their kink, and none of these."""
    lower, upper = (int(np.count_nonzero(solution.fates == side)) for side in (-1, 1))
    kink = int(np.count_nonzero(kink_rows(solution)))
    rest = solution.fates.size - lower - kink - upper
    return {"LOWER": lower, "KINK": kink, "UPPER": upper, "undecided": rest}
