"""Cholesky factors R of R' R = H, row by row, made anew or mended as H gains and loses rows.

Indices are unsigned where it matters: a signed one may count from the end, which vector units cannot do.
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import inner

# A pivot below this share of its diagonal entry is rounding, not curvature.
PIVOT_FLOOR = 1e-14


@inner
def factor(R: Any) -> None:
    """Replace the upper triangle of H by its factor: R[k] = (H[k] - sum_(j < k) R[j, k] R[j]) / R[k, k].

    Two rows are made at a time, from four at a time, apart from R: each is then read once for two, and
    vector units know that what they write is not what they read.
    """
    n, zero, one, two = np.uint64(R.shape[0]), np.uint64(0), np.uint64(1), np.uint64(2)
    here, after = np.empty(R.shape[0]), np.empty(R.shape[0])
    for k in range(zero, n, two):
        # The last row of an odd number goes along with itself.
        other = min(k + one, n - one)
        for i in range(k, n):
            here[i], after[i] = R[k, i], R[other, i]
        floor, other_floor = PIVOT_FLOOR * here[k], PIVOT_FLOOR * after[other]
        j = zero
        while j + two < k:
            take_four(R, j, k, other, here, after)
            j += two + two
        while j < k:
            take_two(R, j, k, other, here, after)
            j += two
        close(R, k, here, floor)
        if other > k:
            for i in range(other, n):
                after[i] -= R[k, other] * R[k, i]
            close(R, other, after, other_floor)


@inner
def take_four(R: Any, j: Any, k: Any, other: Any, here: Any, after: Any) -> None:
    """Take rows j to j + 3 out of rows k and ``other`` in the making."""
    one = np.uint64(1)
    j1, j2, j3 = j + one, j + one + one, j + one + one + one
    a0, a1, a2, a3 = R[j, k], R[j1, k], R[j2, k], R[j3, k]
    b0, b1, b2, b3 = R[j, other], R[j1, other], R[j2, other], R[j3, other]
    for i in range(k, np.uint64(here.size)):
        x0, x1, x2, x3 = R[j, i], R[j1, i], R[j2, i], R[j3, i]
        here[i] -= (a0 * x0 + a1 * x1) + (a2 * x2 + a3 * x3)
        after[i] -= (b0 * x0 + b1 * x1) + (b2 * x2 + b3 * x3)


@inner
def take_two(R: Any, j: Any, k: Any, other: Any, here: Any, after: Any) -> None:
    """Take rows j and j + 1 out of rows k and ``other`` in the making."""
    j1 = j + np.uint64(1)
    a0, a1, b0, b1 = R[j, k], R[j1, k], R[j, other], R[j1, other]
    for i in range(k, np.uint64(here.size)):
        x0, x1 = R[j, i], R[j1, i]
        here[i] -= a0 * x0 + a1 * x1
        after[i] -= b0 * x0 + b1 * x1


@inner
def close(R: Any, k: Any, row: Any, floor: float) -> None:
    """Make ``row``, divided by the root of its pivot, row k of the factor."""
    scale = 1.0 / np.sqrt(max(row[k], floor))
    for i in range(k, np.uint64(row.size)):
        R[k, i] = row[i] * scale
    R[k, k] = 1.0 / scale


@inner
def mend(R: Any, x: Any, first: Any, sign: float) -> None:
    """Make R the factor of H + sign x x'; entries of x before ``first`` are zero, and x is used up."""
    n, one = np.uint64(x.size), np.uint64(1)
    for k in range(np.uint64(first), n):
        value = x[k]
        if value != 0.0:
            old = R[k, k]
            new = np.sqrt(max(old * old + sign * value * value, PIVOT_FLOOR * old * old))
            ratio, cosine, sine = old / new, new / old, value / old
            for i in range(k + one, n):
                R[k, i] = (R[k, i] + sign * sine * x[i]) * ratio
                x[i] = cosine * x[i] - sine * R[k, i]
            R[k, k] = new


@inner
def solve(R: Any, right: Any, out: Any) -> None:
    """Solve R' R out = right."""
    n, zero, one = np.uint64(right.size), np.uint64(0), np.uint64(1)
    for k in range(zero, n):
        out[k] = right[k]
    for k in range(zero, n):
        value = out[k] / R[k, k]
        out[k] = value
        for i in range(k + one, n):
            out[i] -= value * R[k, i]
    for done in range(zero, n):
        here = n - one - done
        total = 0.0
        for i in range(here + one, n):
            total += R[here, i] * out[i]
        out[here] = (out[here] - total) / R[here, here]
