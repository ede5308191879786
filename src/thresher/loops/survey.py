"""Choosing working rows: those that may reach their kink near a prediction of w.

The symbols are those of `passes` and `looks`.
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import BLOCK, inner, loop, part
from thresher.loops.looks import longer, mark
from thresher.loops.passes import at, sample_of
from thresher.loops.storage import row_add, row_dot

# Rows that tell how far scores are off, and how near rows are to their kinks.
SAMPLE = 256


@inner
def nearest(values: Any, place: int) -> float:
    """The value that ``place`` of them lie below, by quickselect in place."""
    low: Any = np.int64(0)
    high: Any = np.int64(values.size - 1)
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            break
    return values[place]


@part
def surroundings(
    X: Any, samples: int, scale: Any, offsets: Any, norms: Any, w: Any, error: Any, share: float, free: Any
) -> tuple[float, float, float]:
    """How far scores are typically off where w is off by ``error``, and the median of that per unit of |z_i|.

    The former is the square of the mean root: few rows may be off by far more than all others, and few may
    be off at all. Also returns within which distance from w a ``share`` of the rows ``free`` have their kink.
    """
    step = max(1, free.size // SAMPLE)
    places = (free.size + step - 1) // step
    ratios, distances, roots = np.empty(places), np.empty(places), 0.0
    for n in range(places):
        i = free[n * step]
        sample, factor = sample_of(i, samples), at(scale, i)
        length = abs(factor) * norms[sample]
        change = abs(factor * row_dot(X, sample, error))
        roots += np.sqrt(change)
        score = abs(factor * row_dot(X, sample, w) + at(offsets, i))
        ratios[n] = change / length if length > 0.0 else 0.0
        distances[n] = score / length if length > 0.0 else np.inf
    if places == 0:
        return 0.0, 0.0, np.inf
    within = nearest(distances, int(share * places)) if share < 1.0 else np.inf
    return (roots / places) ** 2, nearest(ratios, places // 2), within


@loop
def survey(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    norms: Any,
    w: Any,
    error: Any,
    drift: Any,
    spread: float,
    share: float,
    gauge: Any,
    seen: Any,
    when: Any,
    sides: Any,
    free: Any,
    kinks: Any,
    thetas: Any,
    linear: Any,
) -> tuple[Any, Any, Any, float]:
    """Choose the rows that may reach their kink near w, of the rows ``free``.

    w is a prediction, ``drift`` from where scores are remembered (its penalised part, and a free intercept),
    and ``error`` what it may be off. Chosen are the rows ``kinks``, and those whose kink is within
    ``spread`` times what the error amounts to, or within the distance at which a ``share`` of all rows have
    theirs. Returns the chosen rows, and those that change sides at w; their theta (``thetas`` for kinks, the
    bounds that sides name for other chosen rows); which are chosen; and by how much scores are off.
    ``linear``, the sum of all rows at rest, becomes that of all but the chosen rows at w.
    """
    typical, per_unit, within = surroundings(X, samples, scale, offsets, norms, w, error, share, free)
    width = max(spread * per_unit, within)
    rows, theta, chosen = np.empty(BLOCK, np.int64), np.empty(BLOCK), np.empty(BLOCK, np.bool_)
    near, marked, is_kink = (
        np.empty(BLOCK, np.bool_),
        np.empty(BLOCK + 1, np.int64),
        np.empty(BLOCK, np.int64),
    )
    found: Any = np.int64(0)
    used: Any = np.int64(0)
    for start in range(0, free.size, BLOCK):
        block = free[start : start + BLOCK]
        may_be_near(block, samples, scale, offsets, norms, drift, width, gauge, seen, when, near)
        is_kink[:] = -1
        used = merge(block, kinks, used, near, is_kink)
        count = mark(near[: block.size], True, marked)
        rows, theta = longer(rows, found + count), longer(theta, found + count)
        chosen = longer(chosen, found + count)
        for n in range(count):
            k = marked[n]
            i = block[k]
            sample, factor = sample_of(i, samples), at(scale, i)
            score = factor * row_dot(X, sample, w) + at(offsets, i)
            taken = is_kink[k] >= 0 or abs(score) <= width * abs(factor) * norms[sample]
            low, high = at(lower, i), at(upper, i)
            rest = high if sides[i] > 0 else low
            rest = 0.0 if sides[i] == 0 else rest
            bound = high if score > 0.0 else low
            if taken or bound != rest:
                value = rest if taken and sides[i] != 0 else bound
                rows[found], chosen[found] = i, taken
                theta[found] = thetas[is_kink[k]] if is_kink[k] >= 0 else value
                found += 1
                row_add(X, sample, ((0.0 if taken else bound) - rest) * factor, linear)
    return rows[:found], theta[:found], chosen[:found], typical


@part
def may_be_near(
    rows: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    norms: Any,
    drift: Any,
    width: float,
    gauge: Any,
    seen: Any,
    when: Any,
    near: Any,
) -> None:
    """Say which of the rows may be within a distance ``width`` of their kink."""
    for k in range(rows.size):
        i = rows[k]
        factor = at(scale, i)
        unit, length = abs(factor), abs(factor) * norms[sample_of(i, samples)]
        moved = gauge.size * length * (gauge.odometer - when[i]) + drift[0] * length + drift[1] * unit
        score = at(offsets, i) + gauge.size * seen[i] + factor * gauge.level
        near[k] = not abs(score) > moved + width * length


@part
def merge(rows: Any, kinks: Any, used: int, near: Any, is_kink: Any) -> int:
    """Mark the rows that are among ``kinks``, both ascending, of which ``used`` come before."""
    while used < kinks.size and kinks[used] <= rows[-1]:
        low: Any = np.int64(0)
        high: Any = np.int64(rows.size - 1)
        while low < high:
            middle = (low + high) // 2
            if rows[middle] < kinks[used]:
                low = middle + 1
            else:
                high = middle
        if rows[low] == kinks[used]:
            near[low] = True
            is_kink[low] = used
        used += 1
    return used
