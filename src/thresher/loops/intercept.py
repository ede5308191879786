"""Screening with a free intercept: where it can be, and the fates that follow: [FREE].

As the intercept b grows, row i passes through its kink at b_i = -t_i / a_i, where t_i is its score
without b. Over a ball of weights that is somewhere between early_i and late_i. The slope of the loss in
b, H(b) = base + sum of the jumps |a_i| (upper_i - lower_i) of the rows passed, has to vanish at b*.
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import BLOCK, EPSILON, inner, loop
from thresher.loops.passes import at
from thresher.loops.storage import dots

# The interval's ends are found to this share of a half of it (bisections), from a first guess that is
# widened so many times.
BISECTIONS, DOUBLINGS = 10, 100


@inner
def slopes(early: Any, late: Any, jumps: Any, low: float, high: float) -> tuple[float, float]:
    """The largest sum of jumps that can have been passed at ``low``, the smallest one at ``high``."""
    most, least = 0.0, 0.0
    for i in range(jumps.size):
        most += jumps[i] if early[i] <= low else 0.0
        least += jumps[i] if late[i] < high else 0.0
    return most, least


@loop
def interval(
    early: Any, late: Any, jumps: Any, base: float, guess: float, width: float
) -> tuple[float, float]:
    """Bounds on the intercept: H is negative below the first and positive above the second."""
    total = 0.0
    for i in range(jumps.size):
        total += jumps[i]
    rounding = 4.0 * (jumps.size + 8) * EPSILON * (total + abs(base))
    below, above = guess - width, guess + width
    is_below, is_above = False, False
    for _ in range(DOUBLINGS):
        most, least = slopes(early, late, jumps, below, above)
        is_below, is_above = base + most < -rounding, base + least > rounding
        if is_below and is_above:
            break
        width *= 2.0
        below = below if is_below else guess - width
        above = above if is_above else guess + width
    top, bottom = above, below
    for _ in range(BISECTIONS):
        low, high = 0.5 * (below + top), 0.5 * (above + bottom)
        most, least = slopes(early, late, jumps, low, high)
        if base + most < -rounding:
            below = low
        else:
            top = low
        if base + least > rounding:
            above = high
        else:
            bottom = high
    return below if is_below else -np.inf, above if is_above else np.inf


@loop
def scan_free(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    norms: Any,
    centre: Any,
    region: Any,
    guess: float,
    fates: Any,
) -> None:
    """Each row's fate over a ball of weights, wherever the intercept can be: see `passes.scan`.

    ``region`` holds the radius, and the rounding slack of a score per unit of norm, of
    offset, and of a_i.
    """
    size = fates.size
    early, late, jumps = np.empty(size), np.empty(size), np.empty(size)
    products = np.empty(BLOCK)
    base, reaches, width = 0.0, region[0] + region[1], 0.0
    for start in range(0, samples, BLOCK):
        stop = min(samples, start + BLOCK)
        dots(X, start, stop, centre, products)
        for first in range(start, size, samples):
            for k in range(stop - start):
                i = first + k
                factor, offset = at(scale, i), at(offsets, i)
                low, high = at(lower, i), at(upper, i)
                unit = abs(factor)
                base += factor * low if factor > 0.0 else factor * high
                jumps[i] = unit * (high - low)
                crossing = -products[k] - offset / factor if unit > 0.0 else 0.0
                reach = reaches * norms[start + k] + region[3]
                reach += region[2] * abs(offset) / unit if unit > 0.0 else 0.0
                early[i], late[i] = crossing - reach, crossing + reach
                width += reach
    width = width / size + EPSILON * (1.0 + abs(guess))
    below, above = interval(early, late, jumps, base, guess, width)
    for i in range(size):
        factor, offset = at(scale, i), at(offsets, i)
        side = np.int8(below > late[i]) - np.int8(above < early[i])
        if factor < 0.0:
            side = -side
        elif factor == 0.0:
            side = np.int8(offset > 0.0) - np.int8(offset < 0.0)
        fates[i] = side
