"""Problems whose answer is known before anyone solves them.

Choose rows Z, a box, C and theta* (some at lower, some at upper, some strictly inside). Then
w* = -C Z' theta*, and the offsets are set so that [KKT] holds:

    theta*_i = upper_i        score  +margin_i
    theta*_i = lower_i        score  -margin_i
    theta*_i strictly inside  score   0

Every number is a short binary fraction, so that w*, the scores and the offsets are exact in
float64: a row planted on the kink is on the kink to the last bit, and "never certified" is a
fair demand. Only the variant of badly scaled columns is exact up to rounding instead.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Generator = np.random.Generator

LOWER, FREE, UPPER = -1, 0, 1


class Planted(NamedTuple):
    Z: Array  # (l, n) rows as they enter the problem
    offsets: Array  # (l,)
    lower: Array  # (l,)
    upper: Array  # (l,)
    C: float
    w: Array  # (n,) the optimum
    scores: Array  # (l,) at the optimum; exactly 0 on the kink
    fates: NDArray[np.int8]  # (l,) sign of the score
    theta: Array  # (l,) one optimal dual point


class Rows(NamedTuple):
    """What a variant may bend before the offsets are set."""

    Z: Array
    shares: Array  # (l,) theta's place in its box, 0 at lower, 1 at upper
    margins: Array  # (l,) >= 0, distance from the kink of rows at a bound


def fraction(values: Array, bits: int) -> Array:
    """Round to multiples of 2^-bits."""
    return np.round(values * 2.0**bits) / 2.0**bits


def power_of_two_times(rng: Generator, lowest: float, highest: float) -> float:
    """Log-uniform, with a mantissa of four bits."""
    value = np.exp(rng.uniform(np.log(lowest), np.log(highest)))
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(fraction(mantissa, 4), int(exponent)))


# --- boxes: the losses


def hinge(rng: Generator, rows: int) -> tuple[Array, Array]:
    return np.zeros(rows), np.ones(rows)


def absolute(rng: Generator, rows: int) -> tuple[Array, Array]:
    return -np.ones(rows), np.ones(rows)


def pinball(rng: Generator, rows: int) -> tuple[Array, Array]:
    quantile = rng.integers(1, 8) / 8
    return np.full(rows, quantile - 1), np.full(rows, quantile)


def weighted(rng: Generator, rows: int) -> tuple[Array, Array]:
    """Each row its own box: lower <= 0 <= upper, never both 0."""
    weights = rng.integers(1, 17, rows) / 4
    quantiles = rng.integers(0, 9, rows) / 8
    return weights * (quantiles - 1), weights * quantiles


BOXES: dict[str, Callable[[Generator, int], tuple[Array, Array]]] = {
    "hinge": hinge,
    "absolute": absolute,
    "pinball": pinball,
    "weighted": weighted,
}


# --- variants: the pitfalls


def plain(rng: Generator, rows: Rows) -> Rows:
    return rows


def duplicates(rng: Generator, rows: Rows) -> Rows:
    """Rows repeated; those off the kink with equal fates, those on it with any theta."""
    count = len(rows.Z)
    copy_of = rng.integers(0, max(1, count // 3), count)
    off_kink = (rows.margins > 0)[copy_of]
    shares = np.where(off_kink, rows.shares[copy_of], rows.shares)
    return Rows(rows.Z[copy_of], shares, rows.margins[copy_of])


def zero_rows(rng: Generator, rows: Rows) -> Rows:
    """Rows of zeros: their score is their offset, whatever w is."""
    rows.Z[rng.random(len(rows.Z)) < 0.3] = 0.0
    return rows


def crowded_kink(rng: Generator, rows: Rows) -> Rows:
    """More rows on the kink than dimensions."""
    count, columns = rows.Z.shape
    crowd = rng.permutation(count)[: max(columns + 2, count // 2)]
    rows.shares[crowd] = rng.integers(1, 8, len(crowd)) / 8
    rows.margins[crowd] = 0.0
    return rows


def bound_on_kink(rng: Generator, rows: Rows) -> Rows:
    """Rows on the kink although theta is at a bound: strict complementarity fails."""
    touching = rng.random(len(rows.Z)) < 0.4
    rows.shares[touching] = np.round(rows.shares[touching])
    rows.margins[touching] = 0.0
    return rows


def constant_columns(rng: Generator, rows: Rows) -> Rows:
    rows.Z[:, 0] = 1.0
    rows.Z[:, -1] = 0.0
    return rows


def uneven_columns(rng: Generator, rows: Rows) -> Rows:
    """Columns of scale 1e6 next to columns of scale 1e-3; margins of the scores' scale."""
    rows.Z[:] *= 10.0 ** rng.choice([-3, 0, 6], rows.Z.shape[1])
    score_scale = 2.0 ** np.round(np.log2(np.square(rows.Z).max() + 1e-6))
    return rows._replace(margins=rows.margins * score_scale)


def ties(rng: Generator, rows: Rows) -> Rows:
    """Few distinct values everywhere, margins included."""
    rows.Z[:] = np.round(rows.Z)
    return rows._replace(margins=np.where(rows.margins > 0, 0.5, 0.0))


def narrow_margins(rng: Generator, rows: Rows) -> Rows:
    """Rows a hair off the kink, where an unsafe rule goes wrong first."""
    return rows._replace(margins=rows.margins / 2**14)


VARIANTS: dict[str, Callable[[Generator, Rows], Rows]] = {
    "plain": plain,
    "duplicates": duplicates,
    "zero_rows": zero_rows,
    "crowded_kink": crowded_kink,
    "bound_on_kink": bound_on_kink,
    "constant_columns": constant_columns,
    "uneven_columns": uneven_columns,
    "ties": ties,
    "narrow_margins": narrow_margins,
}

SHAPES: dict[str, tuple[int, int]] = {  # most rows, most columns
    "tall": (60, 6),
    "line": (40, 1),
    "wide": (8, 20),  # l < n
    "single": (1, 4),  # l = 1
}


def plant(
    rng: Generator,
    *,
    box: str | None = None,
    variant: str | None = None,
    shape: str | None = None,
    C: float | None = None,
) -> Planted:
    """A problem of known answer; what is not asked for is drawn."""
    box = box or str(rng.choice(list(BOXES)))
    variant = variant or str(rng.choice(list(VARIANTS)))
    shape = shape or str(rng.choice(list(SHAPES), p=[0.7, 0.1, 0.15, 0.05]))
    most_rows, columns = SHAPES[shape]
    count = int(rng.integers((most_rows + 1) // 2, most_rows + 1))
    n = int(rng.integers((columns + 1) // 2, columns + 1))
    lower, upper = BOXES[box](rng, count)
    Z = fraction(rng.normal(size=(count, n)) + rng.normal(size=n) * rng.integers(0, 2), 4)
    shares = rng.integers(0, 2, count).astype(np.float64)
    margins = rng.integers(1, 33, count) / 16
    inside = rng.random(count) < rng.choice([0.05, 0.2])
    shares[inside] = rng.integers(1, 8, int(inside.sum())) / 8
    margins[inside] = 0.0
    rows = VARIANTS[variant](rng, Rows(Z, shares, margins))
    return with_offsets(rows, lower, upper, C or power_of_two_times(rng, 1e-2 / count, 1e2 / count))


def with_offsets(rows: Rows, lower: Array, upper: Array, C: float) -> Planted:
    """Set w* and the offsets so that [KKT] holds."""
    Z, shares, margins = rows
    theta = lower + shares * (upper - lower)
    w = -C * (Z.T @ theta)
    fates = np.where(margins > 0, np.where(shares == 1, UPPER, LOWER), FREE).astype(np.int8)
    true_scores = fates * margins
    offsets = true_scores - Z @ w
    return Planted(Z, offsets, lower, upper, C, w, true_scores, fates, theta)
