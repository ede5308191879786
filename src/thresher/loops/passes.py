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
def row_norms(X: Any, constant: float, out: Any) -> None:
    """out[i] = |x_i|, with ``constant`` in the constant column."""
    for start in range(0, out.size, BLOCK):
        stop = min(out.size, start + BLOCK)
        squares(X, start, stop, out[start:stop])
        for i in range(start, stop):
            out[i] = np.sqrt(out[i] + constant * constant)


@loop
def scores(X: Any, samples: int, scale: Any, offsets: Any, w: Any, out: Any) -> None:
    """out[i] = s_i(w) for every row."""
    products = np.empty(BLOCK)
    copies = out.size // samples
    for start in range(0, samples, BLOCK):
        stop = min(samples, start + BLOCK)
        dots(X, start, stop, w, products)
        for copy in range(copies):
            for k in range(stop - start):
                i = copy * samples + start + k
                out[i] = at(scale, i) * products[k] + at(offsets, i)


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
) -> tuple[float, float]:
    """One pass: each row's fate over a region and the known rows' fixed linear term [REDUCE].

    ``region`` holds radius, depth, spread, |p|^2, margin and the rounding slack per unit of norm and of
    offset. A row is certified when its whole score range clears zero by slack and margin. Fills
    ``fates`` and adds sum theta_i z_i over the known rows to ``linear``; returns sum theta_i o_i and
    sum |theta_i| |z_i| over them.
    """
    radius, depth, spread, normal_square = region[0], region[1], region[2], region[3]
    norm_slack, offset_slack = region[4] + region[5], region[6]
    products = np.empty(BLOCK)
    alongs = np.zeros(BLOCK)
    coefficients = np.empty(BLOCK)
    part = np.zeros(linear.size)
    lost = np.zeros(linear.size)
    copies = fates.size // samples
    constant = 0.0
    mass = 0.0
    for start in range(0, samples, BLOCK):
        stop = min(samples, start + BLOCK)
        dots(X, start, stop, centre, products)
        if normal_square > 0.0:
            dots(X, start, stop, normal, alongs)
        for k in range(stop - start):
            coefficients[k] = 0.0
        for copy in range(copies):
            for k in range(stop - start):
                i = copy * samples + start + k
                factor = at(scale, i)
                offset = at(offsets, i)
                norm = abs(factor) * norms[start + k]
                lowest, highest = score_range(
                    factor * products[k] + offset,
                    factor * alongs[k],
                    norm,
                    radius,
                    depth,
                    spread,
                    normal_square,
                    4.0 * offset_slack,
                )
                slack = norm_slack * norm + offset_slack * abs(offset)
                fate = 0
                theta = 0.0
                if lowest > slack:
                    fate = 1
                    theta = at(upper, i)
                elif highest < -slack:
                    fate = -1
                    theta = at(lower, i)
                fates[i] = fate
                coefficients[k] += theta * factor
                constant += theta * offset
                mass += abs(theta) * norm
        combine(X, start, stop, coefficients, part)
        add_compensated(linear, lost, part)
    for j in range(linear.size):
        linear[j] += lost[j]
    return constant, mass


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
) -> tuple[float, float, float, float]:
    """What the certificate [GAP] needs of the rows ``index`` with dual values ``theta``.

    Adds sum theta_i z_i to ``total`` and marks in ``open_rows`` the rows whose theta is not plainly the
    bound that the sign of their score asks for. Returns sum phi_i(s_i) - theta_i s_i, sum phi_i(s_i),
    the rounding slack of the former, and sum |theta_i| |z_i|. ``rounding`` holds the error of a score
    per unit of norm and of offset.
    """
    part = np.zeros(total.size)
    lost = np.zeros(total.size)
    complementarity = 0.0
    loss = 0.0
    slack = 0.0
    mass = 0.0
    for k in range(index.size):
        i = index[k]
        sample = sample_of(i, samples)
        factor = at(scale, i)
        offset = at(offsets, i)
        norm = abs(factor) * norms[sample]
        score = factor * row_dot(X, sample, w) + offset
        bound = at(upper, i) if score > 0.0 else at(lower, i)
        uncertain = rounding[0] * norm + rounding[1] * abs(offset)
        loss += bound * score
        open_rows[k] = False
        if theta[k] != bound or abs(score) <= uncertain:
            open_rows[k] = True
            complementarity += (bound - theta[k]) * score
            slack += max(at(upper, i) - theta[k], theta[k] - at(lower, i)) * uncertain
        mass += abs(theta[k]) * norm
        if theta[k] != 0.0:
            row_add(X, sample, theta[k] * factor, part)
        if (k + 1) % BLOCK == 0 or k + 1 == index.size:
            add_compensated(total, lost, part)
    for j in range(total.size):
        total[j] += lost[j]
    return complementarity, loss, slack, mass
