"""Passes over rows, written once for every storage.

A sample may enter a problem more than once (epsilon-insensitive regression: two kinks): problem row i
is sample ``i % samples``. A per-row value that all rows share is an array of size one.

=============  ===========  =====================================================================
symbol         shape        meaning
=============  ===========  =====================================================================
scale          1 or l       a_i: the row enters as z_i = a_i x_i
offsets        1 or l       o_i: the row's score is s_i = <z_i, w> + o_i
lower, upper   1 or l       the box of theta_i, sample weights folded in
norms          samples      |x_i|, the constant column included
w, u           dimension    a primal point; the dual point's image -C sum theta_i z_i
=============  ===========  =====================================================================
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import BLOCK, exact, inner, loop
from thresher.loops.storage import combine, dots, row_add, row_dot, squares


@inner
def at(values: Any, i: int) -> float:
    """The value of row i, shared or its own."""
    return values[i] if values.size > 1 else values[0]


@inner
def sample_of(i: int, samples: int) -> int:
    """The sample of row i; a division only where samples enter more than once."""
    return i if i < samples else i % samples


@exact
def add_compensated(total: Any, lost: Any, part: Any) -> None:
    """Add ``part`` to the running sum ``total + lost`` without losing low bits, and clear it."""
    for j in range(total.size):
        old = total[j]
        new = old + part[j]
        if abs(old) >= abs(part[j]):
            lost[j] += (old - new) + part[j]
        else:
            lost[j] += (part[j] - new) + old
        total[j] = new
        part[j] = 0.0


@loop
def row_norms(X: Any, constant: float, mean: Any, out: Any) -> None:
    """out[i] = |x_i - mean|, with ``constant`` in the constant column."""
    for start in range(0, out.size, BLOCK):
        stop = min(out.size, start + BLOCK)
        squares(X, start, stop, mean, out[start:stop])
        for i in range(start, stop):
            out[i] = np.sqrt(out[i] + constant * constant)


@loop
def scores_at(X: Any, samples: int, scale: Any, offsets: Any, index: Any, w: Any, out: Any) -> None:
    """out[k] = s_i(w) for the rows i = index[k]."""
    for k in range(index.size):
        i = index[k]
        out[k] = at(scale, i) * row_dot(X, sample_of(i, samples), w) + at(offsets, i)


@loop
def gather(X: Any, samples: int, scale: Any, index: Any, out: Any) -> None:
    """out[k] = z_i as a dense row, for the rows i = index[k]; ``out`` comes in as zeros."""
    for k in range(index.size):
        i = index[k]
        row_add(X, sample_of(i, samples), at(scale, i), out[k])


@loop
def image(
    X: Any, samples: int, scale: Any, index: Any, theta: Any, block: int, total: Any, lost: Any
) -> None:
    """Total += sum theta_k z_i over the rows i = index[k]; ``lost`` keeps the low bits of the total.

    So many rows as ``block`` says are summed before the total takes them in.
    """
    part = np.zeros(total.size)
    for k in range(index.size):
        if theta[k] != 0.0:
            row_add(X, sample_of(index[k], samples), theta[k] * at(scale, index[k]), part)
        if (k + 1) % block == 0 or k + 1 == index.size:
            add_compensated(total, lost, part)


@inner
def score_range(
    score: float,
    along: float,
    norm: float,
    radius: float,
    depth: float,
    spread: float,
    normal_square: float,
    rounding: float,
) -> tuple[float, float]:
    """Lowest and highest score of a row over a ball, or over a dome: [DOME].

    ``score`` is the row's score at the centre, ``along`` its product with the normal p, ``depth`` the
    half-space's d' = d - <p, centre>, ``spread`` = sqrt(r^2 - d'^2/|p|^2); a ball has |p|^2 = 0.
    ``rounding`` is the relative error of the squares involved.
    """
    reach = radius * norm
    lowest = score - reach
    highest = score + reach
    if normal_square > 0.0:
        # |v_perp|^2 is a difference: rounding may leave it too small, which the second term makes up.
        across = np.sqrt(max(norm * norm - along * along / normal_square, 0.0) + rounding * norm * norm)
        shift = score + along * depth / normal_square
        if along * radius + norm * depth < 0.0:
            lowest = max(lowest, shift - across * spread)
        if -along * radius + norm * depth < 0.0:
            highest = min(highest, shift + across * spread)
    return lowest, highest


@inner
def piece(values: Any, start: int, stop: int, shared: Any) -> Any:
    """The values of the rows start..stop: their own, or ``shared``, which holds the value of all."""
    if values.size == 1:
        return shared[: stop - start]
    return values[start:stop]


@inner
def filled(values: Any) -> Any:
    """A block of the first value."""
    out = np.empty(BLOCK, values.dtype)
    for k in range(BLOCK):
        out[k] = values[0]
    return out


@inner
def fates_in_ball(scores: Any, reaches: Any, slacks: Any, fates: Any) -> None:
    """Fates where a score clears its reach and slack; plain enough for vector units."""
    for k in range(scores.size):
        limit = reaches[k] + slacks[k]
        fates[k] = np.int8(scores[k] > limit) - np.int8(scores[k] < -limit)


@inner
def fates_around_anchor(
    scores: Any, alongs: Any, factors: Any, norms: Any, slacks: Any, region: Any, fates: Any
) -> None:
    """Fates where a score clears what an anchored ball leaves it: [ANCHOR].

    The row's distance from the anchor N counts instead of its length: r N, or where the anchor is weak
    r^2 / S + N^2 S / 4, the largest N d + (r^2 - d^2) / S over d <= r.
    """
    radius, place_square, strength, slack = region[0], region[3], region[6], region[7]
    larger, weak, quarter = 1.0 + 4.0 * region[5], 2.0 * radius / strength, 0.25 * strength
    for k in range(scores.size):
        unit = abs(factors[k])
        square = larger * (norms[k] * norms[k] + place_square) - 2.0 * alongs[k]
        square = square if square > 0.0 else 0.0
        distance = np.sqrt(square)
        least = quarter * square + 0.5 * radius * weak
        reach = least if distance < weak else radius * distance
        limit = unit * (reach + slack) + slacks[k]
        fates[k] = np.int8(scores[k] > limit) - np.int8(scores[k] < -limit)


@inner
def fates_in_dome(scores: Any, alongs: Any, norms: Any, slacks: Any, region: Any, fates: Any) -> None:
    """Fates where the range of the score over a dome clears its slack: [DOME]."""
    for k in range(scores.size):
        lowest, highest = score_range(
            scores[k], alongs[k], norms[k], region[0], region[1], region[2], region[3], 4.0 * region[5]
        )
        fates[k] = np.int8(lowest > slacks[k]) - np.int8(highest < -slacks[k])


@loop
def scan(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    norms: Any,
    centre: Any,
    normal: Any,
    region: Any,
    fates: Any,
) -> None:
    """Each row's fate over a region: known where its whole score range clears zero by its slack.

    ``region`` holds radius, depth, spread, |p|^2, the slack (margin and rounding) per unit of norm and
    of offset; then the strength of an anchor, negative where there is none, and the slack per unit of
    a_i.
    """
    radius, norm_slack, offset_slack = region[0], region[4], region[5]
    anchored = region[6] >= 0.0
    cut = region[3] > 0.0 or anchored
    products, alongs = np.empty(BLOCK), np.zeros(BLOCK)
    scores, along, lengths, reaches = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    slacks = np.empty(BLOCK)
    shared_scale, shared_offset = filled(scale), filled(offsets)
    for start in range(0, samples, BLOCK):
        stop = min(samples, start + BLOCK)
        count = stop - start
        dots(X, start, stop, centre, products)
        if cut:
            dots(X, start, stop, normal, alongs)
        for first in range(start, fates.size, samples):
            factor = piece(scale, first, first + count, shared_scale)
            offset = piece(offsets, first, first + count, shared_offset)
            found = fates[first : first + count]
            for k in range(count):
                lengths[k] = abs(factor[k]) * norms[start + k]
                scores[k] = factor[k] * products[k] + offset[k]
                slacks[k] = norm_slack * lengths[k] + offset_slack * abs(offset[k])
                reaches[k] = radius * lengths[k]
            if anchored:
                fates_around_anchor(scores[:count], alongs, factor, norms[start:stop], slacks, region, found)
            elif cut:
                for k in range(count):
                    along[k] = factor[k] * alongs[k]
                fates_in_dome(scores[:count], along, lengths, slacks, region, found)
            else:
                fates_in_ball(scores[:count], reaches, slacks, found)


@loop
def rest(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    norms: Any,
    sides: Any,
    total: Any,
    lost: Any,
) -> tuple[float, float, float]:
    """Total += sum theta_i z_i with every theta_i at the bound that its side names.

    Returns sum theta_i o_i, sum |theta_i| |z_i| and sum |theta_i a_i|; ``lost`` keeps the total's low bits.
    """
    constant, mass, charge = 0.0, 0.0, 0.0
    coefficients, part = np.empty(BLOCK), np.zeros(total.size)
    for start in range(0, samples, BLOCK):
        stop = min(samples, start + BLOCK)
        coefficients[:] = 0.0
        for first in range(start, sides.size, samples):
            for k in range(stop - start):
                i = first + k
                theta = at(upper, i) if sides[i] > 0 else at(lower, i)
                theta = 0.0 if sides[i] == 0 else theta
                coefficient = theta * at(scale, i)
                coefficients[k] += coefficient
                constant += theta * at(offsets, i)
                mass += abs(coefficient) * norms[start + k]
                charge += abs(coefficient)
        combine(X, start, stop, coefficients, part)
        add_compensated(total, lost, part)
    return constant, mass, charge
