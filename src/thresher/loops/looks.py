"""Passes that look at a row only where they have to: [MOVE].

The product of a row with w / |w|, found once, is off by no more than |z_i| times the way that w / |w| has
gone since. So a row far from its kink needs no look for long, neither to prove its fate nor to see its sign.

=============  ============  =====================================================================
symbol         shape         meaning
=============  ============  =====================================================================
seen           l             <z_i, w> / |w| of each row when it was last looked at, float32
when           l             what the odometer showed then, rounded down, float32
sides          l             the bound that theta_i rests at: -1 lower, +1 upper, 0 none (theta_i = 0)
=============  ============  =====================================================================

The other symbols are those of `passes`.
"""

from typing import Any, NamedTuple

import numpy as np

from thresher.loops.compiled import BLOCK, inner, loop, part
from thresher.loops.passes import add_compensated, at, filled, piece, sample_of
from thresher.loops.storage import row_add, row_dot

# What float32 may take from a product, and from the odometer, with room to spare.
SINGLE = 2e-7
# ... and where it has fewer digits.
LEAST = 1.2e-38
# Verdicts on a row besides LOWER (-1) and UPPER (1).
FREE, DOUBTFUL = np.int8(0), np.int8(2)


class Gauge(NamedTuple):
    """What turns memories into scores at w, and how far these, or computed ones, may be off.

    ================  ==============================================================================
    odometer          the way that w / |w| has come
    size, level       |w|, and what a free intercept adds to every score per unit of a_i
    norm, offset,     rounding of a score at w per unit of |z_i|, of |o_i|, and of |a_i|
    unit
    stale             rounding of remembered products per unit of |a_i|, besides
    ================  ==============================================================================
    """

    odometer: float
    size: float
    level: float
    norm: float
    offset: float
    unit: float
    stale: float


class Reach(NamedTuple):
    """A certificate carried to the next C, as `prove` takes it: [CARRY], [ANCHOR].

    ================  ==============================================================================
    half              (1 + rho) / 2: the centre in units of w
    radius            of the ball, with what its centre may be off
    strength          S of the anchor, 0 where the intercept is not free
    along             <place, w>
    place_offset      the anchor's offset
    place_norm        |place|
    larger, shift     1 plus the rounding of a squared distance; rounding per unit of |a_i|
    ================  ==============================================================================
    """

    half: float
    radius: float
    strength: float
    along: float
    place_offset: float
    place_norm: float
    larger: float
    shift: float


class Block(NamedTuple):
    """Rows of one copy of the samples, side by side: a_i, o_i, |x_i|, what is remembered, and new scores."""

    factors: Any
    offsets: Any
    lengths: Any
    seen: Any
    when: Any
    fresh: Any


@part
def block_of(
    scale: Any, offsets: Any, norms: Any, seen: Any, when: Any, shared: Any, first: int, begin: int, end: int
) -> Any:
    """The rows of the samples begin..end of the copy that starts with row ``first``."""
    start, stop = first + begin, first + end
    factors, fixed = piece(scale, start, stop, shared[0]), piece(offsets, start, stop, shared[1])
    return Block(factors, fixed, norms[begin:end], seen[start:stop], when[start:stop], shared[2])


@inner
def rounding_of(unit: float, length: float, offset: float, gauge: Any) -> float:
    """How far a computed score may be off."""
    return unit * (gauge.norm * length + gauge.unit) + gauge.offset * abs(offset)


@inner
def error_of(product: float, when: float, unit: float, length: float, offset: float, gauge: Any) -> float:
    """How far a score may be off that is made of a remembered product."""
    moved = gauge.size * (unit * length * (gauge.odometer - when) + SINGLE * abs(product) + LEAST)
    return moved + unit * gauge.stale + rounding_of(unit, length, offset, gauge)


@inner
def look(X: Any, first: int, marked: Any, count: int, w: Any, gauge: Any, own: Any) -> None:
    """Compute the products of the ``count`` marked rows of a block with w, and remember them."""
    when = np.float32(gauge.odometer * (1.0 - SINGLE))
    share = 1.0 / gauge.size if gauge.size > 0.0 else 0.0
    for n in range(count):
        own.fresh[n] = row_dot(X, first + marked[n], w)
    for n in range(count):
        k = marked[n]
        own.fresh[n] = own.factors[k] * (own.fresh[n] - gauge.level)
        own.seen[k] = share * own.fresh[n]
        own.when[k] = when


@part
def judge(own: Any, gauge: Any, given: Any, verdicts: Any) -> None:
    """Set verdicts: the fate where what is remembered proves it, DOUBTFUL where a look may, else FREE."""
    for k in range(own.seen.size):
        product, unit, length = np.float64(own.seen[k]), abs(own.factors[k]), own.lengths[k]
        error = given.half * error_of(product, own.when[k], unit, length, own.offsets[k], gauge)
        centre = own.offsets[k] + given.half * gauge.size * product
        reach = given.radius * unit * length
        side = np.int8(centre > 0.0) - np.int8(centre < 0.0)
        free = FREE if abs(centre) <= reach - error else DOUBTFUL
        verdicts[k] = side if abs(centre) > reach + error else free


@part
def way_to_kink(length: float, given: Any) -> float:
    """How far a score, seen from the anchor, may be over the region from its value at the centre."""
    radius, strength = given.radius, given.strength
    strong = radius * length
    weak = 0.25 * length * length * strength + radius * radius / strength
    return (strong if 2.0 * radius <= length * strength else weak) + given.shift


@part
def judge_from_anchor(own: Any, gauge: Any, given: Any, verdicts: Any) -> None:
    """The same where the intercept is free: the distance from the anchor is at most the sum of lengths."""
    for k in range(own.seen.size):
        product, factor, length = np.float64(own.seen[k]), own.factors[k], own.lengths[k]
        unit = abs(factor)
        error = given.half * error_of(product, own.when[k], unit, length, own.offsets[k], gauge)
        centre = own.offsets[k] - factor * given.place_offset
        centre += given.half * (gauge.size * product - factor * given.along)
        most = unit * way_to_kink(length + given.place_norm, given)
        least = unit * way_to_kink(max(length - given.place_norm, 0.0), given)
        side = np.int8(centre > 0.0) - np.int8(centre < 0.0)
        free = FREE if abs(centre) <= least - error else DOUBTFUL
        verdicts[k] = side if abs(centre) > most + error else free


@part
def judge_at_sight(
    X: Any, first: int, marked: Any, count: int, place: Any, gauge: Any, given: Any, own: Any, verdicts: Any
) -> None:
    """The same for the marked rows, whose products are new."""
    anchored = given.strength > 0.0
    for n in range(count):
        k = marked[n]
        factor, length, offset = own.factors[k], own.lengths[k], own.offsets[k]
        unit = abs(factor)
        error = given.half * rounding_of(unit, length, offset, gauge)
        if anchored:
            square = given.larger * (length * length + given.place_norm * given.place_norm)
            distance = np.sqrt(max(square - 2.0 * row_dot(X, first + k, place), 0.0))
            centre = offset - factor * given.place_offset
            centre += given.half * (own.fresh[n] - factor * given.along)
            reach = unit * way_to_kink(distance, given) + error
        else:
            centre = offset + given.half * own.fresh[n]
            reach = given.radius * unit * length + error
        verdicts[k] = np.int8(centre > reach) - np.int8(centre < -reach)


@inner
def mark(values: Any, wanted: Any, marked: Any) -> int:
    """The places of the wanted value, in ``marked``; returns how many there are."""
    count: Any = np.int64(0)
    for k in range(values.size):
        count += values[k] == wanted
    if count:
        count = np.int64(0)
        for k in range(values.size):
            marked[count] = k
            count += values[k] == wanted
    return count


@part
def mark_turned(verdicts: Any, sides: Any, turning: Any) -> int:
    """Mark the rows proven to be elsewhere than at their side; returns how many are proven LOWER."""
    lower: Any = np.int64(0)
    for k in range(sides.size):
        turning[k] = (verdicts[k] != FREE) & (verdicts[k] != sides[k])
        lower += verdicts[k] < 0
    return lower


@inner
def longer(values: Any, least: int) -> Any:
    """The values with room for ``least`` of them, and for more."""
    if values.size >= least:
        return values
    out = np.empty(2 * least, values.dtype)
    # A loop: assigning slices would compile what it takes to complain that their lengths differ.
    for k in range(values.size):
        out[k] = values[k]
    return out


@loop
def prove(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    norms: Any,
    w: Any,
    place: Any,
    gauge: Any,
    given: Any,
    seen: Any,
    when: Any,
    sides: Any,
) -> tuple[Any, Any, Any, int]:
    """Prove what a certificate at w proves at the next C.

    Returns the rows that stay free, those proven to be elsewhere than at their side and their fates, and
    how many are proven LOWER.
    """
    verdicts, marked, fresh = np.empty(BLOCK, np.int8), np.empty(BLOCK + 1, np.int64), np.empty(BLOCK)
    shared = filled(scale), filled(offsets), fresh
    # Room for all is no memory until it is written to.
    free = np.empty(sides.size, np.int64)
    turned, fates = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int8)
    turning = np.empty(BLOCK, np.bool_)
    found: Any = np.int64(0)
    turns: Any = np.int64(0)
    lower: Any = np.int64(0)
    for first in range(0, sides.size, samples):
        for begin in range(0, samples, BLOCK):
            end = min(samples, begin + BLOCK)
            start, stop = first + begin, first + end
            own = block_of(scale, offsets, norms, seen, when, shared, first, begin, end)
            if given.strength == 0.0:
                judge(own, gauge, given, verdicts)
            else:
                judge_from_anchor(own, gauge, given, verdicts)
            count = mark(verdicts[: end - begin], DOUBTFUL, marked)
            if count:
                look(X, begin, marked, count, w, gauge, own)
                judge_at_sight(X, begin, marked, count, place, gauge, given, own, verdicts)
            count = mark(verdicts[: end - begin], FREE, marked)
            for n in range(count):
                free[found + n] = start + marked[n]
            found += count
            lower += mark_turned(verdicts, sides[start:stop], turning)
            count = mark(turning[: end - begin], True, marked)
            turned, fates = longer(turned, turns + count), longer(fates, turns + count)
            for n in range(count):
                turned[turns + n], fates[turns + n] = start + marked[n], verdicts[marked[n]]
            turns += count
    return free[:found], turned[:turns], fates[:turns], lower


@loop
def turn(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    norms: Any,
    sides: Any,
    rows: Any,
    to: Any,
    total: Any,
    lost: Any,
) -> tuple[float, float, float, float]:
    """Let ``rows`` rest at the sides ``to``; ``total``, the sum theta_i z_i over all rows, follows.

    Returns by what sum |theta_i| |z_i| and sum |theta_i a_i| grow at most, what sum theta_i o_i gains, and by
    what sum |theta_i o_i| grows at most.
    """
    mass, charge, constant, gross = 0.0, 0.0, 0.0, 0.0
    part = np.zeros(total.size)
    for n in range(rows.size):
        i = rows[n]
        sample, factor, low, high = sample_of(i, samples), at(scale, i), at(lower, i), at(upper, i)
        before = 0.0 if sides[i] == 0 else high if sides[i] > 0 else low
        change = (high if to[n] > 0 else low) - before
        sides[i] = to[n]
        if change != 0.0:
            constant += change * at(offsets, i)
            gross += abs(change * at(offsets, i))
            mass += abs(change * factor) * norms[sample]
            charge += abs(change * factor)
            row_add(X, sample, change * factor, part)
        if (n + 1) % BLOCK == 0 or n + 1 == rows.size:
            add_compensated(total, lost, part)
    return mass, charge, constant, gross


@part
def may_contradict(own: Any, gauge: Any, sides: Any, marks: Any) -> None:
    """Mark the rows that may be seen on another side than theirs now."""
    for k in range(own.seen.size):
        product, factor, offset = np.float64(own.seen[k]), own.factors[k], own.offsets[k]
        error = error_of(product, own.when[k], abs(factor), own.lengths[k], offset, gauge)
        score = offset + gauge.size * product + factor * gauge.level
        marks[k] |= not score * sides[k] > error


@loop
def verify(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    norms: Any,
    w: Any,
    gauge: Any,
    seen: Any,
    when: Any,
    sides: Any,
    changed: Any,
    values: Any,
    total: Any,
) -> tuple[Any, Any, Any, Any, Any]:
    """What all rows add to the certificate at w, beyond what they add at rest: [GAP].

    The rows ``changed``, in ascending order, have theta = ``values``, the others rest at their sides. Adds
    sum (theta_i - rest_i) z_i to ``total``. Returns the rows whose theta is not plainly the bound that the
    sign of their score asks for, and their theta; the rows seen on another side than theirs, and which one;
    sum phi_i(s_i) - theta_i s_i, sum phi_i(s_i) - rest_i s_i, the rounding slack of the former, and what is
    added to sum |theta_i| |z_i| and sum |theta_i a_i|.
    """
    marks, marked, fresh = np.zeros(BLOCK, np.bool_), np.empty(BLOCK + 1, np.int64), np.empty(BLOCK)
    shared = filled(scale), filled(offsets), fresh
    kinks, thetas = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    turned, turned_to = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int8)
    sums, part, lost = np.zeros(5), np.zeros(total.size), np.zeros(total.size)
    found: Any = np.int64(0)
    turns: Any = np.int64(0)
    used: Any = np.int64(0)
    for first in range(0, sides.size, samples):
        for begin in range(0, samples, BLOCK):
            end = min(samples, begin + BLOCK)
            start, stop = first + begin, first + end
            own = block_of(scale, offsets, norms, seen, when, shared, first, begin, end)
            marks[:] = False
            ahead = used
            while ahead < changed.size and changed[ahead] < stop:
                marks[changed[ahead] - start] = True
                ahead += 1
            may_contradict(own, gauge, sides[start:stop], marks)
            count = mark(marks[: end - begin], True, marked)
            if count == 0:
                continue
            kinks, thetas = longer(kinks, found + count + 1), longer(thetas, found + count + 1)
            turned, turned_to = longer(turned, turns + count + 1), longer(turned_to, turns + count + 1)
            look(X, begin, marked, count, w, gauge, own)
            for n in range(count):
                k = marked[n]
                i = start + k
                score = own.offsets[k] + fresh[n] + own.factors[k] * gauge.level
                low, high = at(lower, i), at(upper, i)
                resting = high if sides[i] > 0 else low
                resting = 0.0 if sides[i] == 0 else resting
                theta = resting
                if used < changed.size and changed[used] == i:
                    theta = min(max(values[used], low), high)
                    used += 1
                unit, length = abs(own.factors[k]), own.lengths[k]
                uncertain = rounding_of(unit, length, own.offsets[k], gauge)
                bound = high if score > 0.0 else low
                if theta != bound or abs(score) <= uncertain:
                    kinks[found], thetas[found] = i, theta
                    found += 1
                    sums[2] += max(high - theta, theta - low) * uncertain
                turned[turns], turned_to[turns] = i, 1 if score > 0.0 else -1
                turns += score * sides[i] < 0.0 or (sides[i] == 0 and score != 0.0)
                sums[0] += (bound - theta) * score
                sums[1] += (bound - resting) * score
                change = abs(theta - resting) * unit
                if change != 0.0:
                    sums[3] += change * length
                    sums[4] += change
                    row_add(X, begin + k, (theta - resting) * own.factors[k], part)
            add_compensated(total, lost, part)
    for j in range(total.size):
        total[j] += lost[j]
    return kinks[:found], thetas[:found], turned[:turns], turned_to[:turns], sums
