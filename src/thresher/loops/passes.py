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
def image(X: Any, samples: int, scale: Any, index: Any, theta: Any, total: Any) -> None:
    """Total += sum theta_k z_i over the rows i = index[k], with a compensated total."""
    part = np.zeros(total.size)
    lost = np.zeros(total.size)
    for k in range(index.size):
        if theta[k] != 0.0:
            row_add(X, sample_of(index[k], samples), theta[k] * at(scale, index[k]), part)
        if (k + 1) % BLOCK == 0 or k + 1 == index.size:
            add_compensated(total, lost, part)
    for j in range(total.size):
        total[j] += lost[j]


@inner
def pick(values: Any, index: Any, out: Any) -> None:
    """out[k] = the value of row index[k], shared or its own."""
    if values.size == 1:
        for k in range(index.size):
            out[k] = values[0]
    else:
        for k in range(index.size):
            out[k] = values[index[k]]


@inner
def dots_at(X: Any, samples: int, index: Any, w: Any, out: Any) -> None:
    """out[k] = <x, w> of the sample that row index[k] is."""
    for k in range(index.size):
        out[k] = row_dot(X, sample_of(index[k], samples), w)


@inner
def combine_at(X: Any, samples: int, index: Any, coefficients: Any, out: Any) -> None:
    """Out += sum of coefficients[k] x over the samples that the rows index[k] are."""
    for k in range(index.size):
        if coefficients[k] != 0.0:
            row_add(X, sample_of(index[k], samples), coefficients[k], out)


@loop
def survey(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    index: Any,
    w: Any,
    last: Any,
    reach: float,
    width: float,
    chosen: Any,
    theta: Any,
    total: Any,
) -> None:
    """Choose the rows that may reach their kink near w, in one pass over the rows ``index``.

    Row k is chosen, besides those chosen before, where |s_k(w)| <= reach |s_k(w) - s_k(last)| + width.
    theta_k becomes the bound that the score at ``last`` names for chosen rows, the one at w for others,
    and sum theta_k z_k over the others is added to ``total``.
    """
    part, lost = np.zeros(total.size), np.zeros(total.size)
    factors, offset, scores, before = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    low, high = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, index.size, BLOCK):
        rows = index[start : start + BLOCK]
        pick(scale, rows, factors)
        pick(offsets, rows, offset)
        pick(lower, rows, low)
        pick(upper, rows, high)
        dots_at(X, samples, rows, w, scores)
        dots_at(X, samples, rows, last, before)
        marked, bounds = chosen[start : start + BLOCK], theta[start : start + BLOCK]
        for k in range(rows.size):
            score = factors[k] * scores[k] + offset[k]
            earlier = factors[k] * before[k] + offset[k]
            taken = marked[k] or abs(score) <= reach * abs(score - earlier) + width
            side = earlier if taken else score
            bound = high[k] if side > 0.0 else low[k]
            marked[k] = taken
            bounds[k] = bound
            factors[k] = 0.0 if taken else bound * factors[k]
        combine_at(X, samples, rows, factors, part)
        add_compensated(total, lost, part)
    for j in range(total.size):
        total[j] += lost[j]


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
    lower: Any,
    upper: Any,
    norms: Any,
    centre: Any,
    normal: Any,
    region: Any,
    fates: Any,
    linear: Any,
) -> tuple[float, float, float]:
    """One pass: each row's fate over a region and the known rows' fixed linear term [REDUCE].

    ``region`` holds radius, depth, spread, |p|^2, the slack (margin and rounding) per unit of norm and
    of offset; then the strength of an anchor, negative where there is none, and the slack per unit of
    a_i. A row is certified when its whole score range clears zero by its slack. Fills ``fates`` and adds
    sum theta_i z_i over the known rows to ``linear``; returns sum theta_i o_i, sum |theta_i| |z_i| and
    sum |theta_i a_i| over them.
    """
    radius, norm_slack, offset_slack = region[0], region[4], region[5]
    anchored = region[6] >= 0.0
    cut = region[3] > 0.0 or anchored
    products, alongs, coefficients = np.empty(BLOCK), np.zeros(BLOCK), np.empty(BLOCK)
    scores, along, lengths, reaches = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    slacks = np.empty(BLOCK)
    shared_scale, shared_offset = np.full(BLOCK, scale[0]), np.full(BLOCK, offsets[0])
    shared_lower, shared_upper = np.full(BLOCK, lower[0]), np.full(BLOCK, upper[0])
    part, lost = np.zeros(linear.size), np.zeros(linear.size)
    constant, mass, charge = 0.0, 0.0, 0.0
    for start in range(0, samples, BLOCK):
        stop = min(samples, start + BLOCK)
        count = stop - start
        dots(X, start, stop, centre, products)
        if cut:
            dots(X, start, stop, normal, alongs)
        coefficients[:count] = 0.0
        for first in range(start, fates.size, samples):
            factor = piece(scale, first, first + count, shared_scale)
            offset = piece(offsets, first, first + count, shared_offset)
            low = piece(lower, first, first + count, shared_lower)
            high = piece(upper, first, first + count, shared_upper)
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
            for k in range(count):
                theta = high[k] if found[k] > 0 else low[k]
                theta = 0.0 if found[k] == 0 else theta
                coefficients[k] += theta * factor[k]
                constant += theta * offset[k]
                mass += abs(theta) * lengths[k]
                charge += abs(theta * factor[k])
        combine(X, start, stop, coefficients, part)
        add_compensated(linear, lost, part)
    for j in range(linear.size):
        linear[j] += lost[j]
    return constant, mass, charge


@loop
def certify(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    norms: Any,
    index: Any,
    w: Any,
    theta: Any,
    rounding: Any,
    total: Any,
    open_rows: Any,
) -> tuple[float, float, float, float, float]:
    """What the certificate [GAP] needs of the rows ``index`` with dual values ``theta``, kept in the box.

    Adds sum theta_i z_i to ``total`` and marks in ``open_rows`` the rows whose theta is not plainly the
    bound that the sign of their score asks for. Returns sum phi_i(s_i) - theta_i s_i, sum phi_i(s_i),
    the rounding slack of the former, sum |theta_i| |z_i| and sum |theta_i a_i|. ``rounding`` holds the
    error of a score per unit of norm, of offset, and of a_i.
    """
    part, lost = np.zeros(total.size), np.zeros(total.size)
    factors, offset, scores, lengths = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    low, high = np.empty(BLOCK), np.empty(BLOCK)
    complementarity, loss, slack, mass, charge = 0.0, 0.0, 0.0, 0.0, 0.0
    for start in range(0, index.size, BLOCK):
        rows = index[start : start + BLOCK]
        pick(scale, rows, factors)
        pick(offsets, rows, offset)
        pick(lower, rows, low)
        pick(upper, rows, high)
        dots_at(X, samples, rows, w, scores)
        for k in range(rows.size):
            lengths[k] = norms[sample_of(rows[k], samples)]
        values, opened = theta[start : start + BLOCK], open_rows[start : start + BLOCK]
        for k in range(rows.size):
            unit = abs(factors[k])
            length = unit * lengths[k]
            score = factors[k] * scores[k] + offset[k]
            value = values[k]
            value = high[k] if value > high[k] else value
            value = low[k] if value < low[k] else value
            bound = high[k] if score > 0.0 else low[k]
            uncertain = rounding[0] * length + rounding[1] * abs(offset[k]) + rounding[2] * unit
            is_open = value != bound or abs(score) <= uncertain
            opened[k] = is_open
            loss += bound * score
            complementarity += (bound - value) * score
            slack += max(high[k] - value, value - low[k]) * uncertain if is_open else 0.0
            mass += abs(value) * length
            charge += abs(value) * unit
            factors[k] *= value
        combine_at(X, samples, rows, factors, part)
        add_compensated(total, lost, part)
    for j in range(total.size):
        total[j] += lost[j]
    return complementarity, loss, slack, mass, charge
