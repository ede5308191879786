"""A working problem from start to end in one call: smoothing, then pivoting."""

from typing import Any

from thresher.loops.compiled import loop
from thresher.loops.pivot import minimise
from thresher.loops.smooth import approach


@loop
def optimise(
    A: Any,
    o: Any,
    lower: Any,
    upper: Any,
    g: Any,
    C: float,
    w: Any,
    theta: Any,
    state: Any,
    limit: int,
    least: float,
    scratch: Any,
    negligible: float,
    patience: int,
) -> tuple[int, bool]:
    """Come close by `approach`, end by `minimise`, w and theta in place, by at most ``limit`` steps of each.

    Returns the steps, and whether the optimum was reached.
    """
    steps, done = approach(A, o, lower, upper, g, C, w, theta, state, limit, least, 0.0, scratch)
    if not done:
        return steps, False
    pivots, optimal = minimise(A, o, lower, upper, g, C, w, theta, negligible, limit, patience)
    return steps + pivots, optimal
