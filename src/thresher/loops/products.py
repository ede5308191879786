"""Products with a working matrix that is stored by columns: A[j] holds column j of all its rows.

A working problem has many more rows than columns, and loops along rows fill vector units whatever the
number of columns is. Several columns go at a time, so that what they share is read once.
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import inner


@inner
def add_columns(A: Any, weights: Any, out: Any) -> None:
    """Out += sum over j of weights[j] A[j], four at a time: ``out`` is then read and written once for all."""
    n: Any = np.int64(A.shape[0])
    j: Any = np.int64(0)
    while j + 4 <= n:
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for i in range(out.size):
            out[i] += w0 * A[j, i] + w1 * A[j + 1, i] + w2 * A[j + 2, i] + w3 * A[j + 3, i]
        j += 4
    while j < n:
        for i in range(out.size):
            out[i] += weights[j] * A[j, i]
        j += 1


@inner
def subtract_products(A: Any, values: Any, factor: float, out: Any) -> None:
    """Out[j] -= factor <A[j], values>, four at a time: ``values`` are then read once for all."""
    n: Any = np.int64(A.shape[0])
    j: Any = np.int64(0)
    while j + 4 <= n:
        t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
        for i in range(values.size):
            value = values[i]
            t0 += value * A[j, i]
            t1 += value * A[j + 1, i]
            t2 += value * A[j + 2, i]
            t3 += value * A[j + 3, i]
        out[j] -= factor * t0
        out[j + 1] -= factor * t1
        out[j + 2] -= factor * t2
        out[j + 3] -= factor * t3
        j += 4
    while j < n:
        total = 0.0
        for i in range(values.size):
            total += values[i] * A[j, i]
        out[j] -= factor * total
        j += 1


@inner
def gram(B: Any, count: int, out: Any) -> None:
    """out[i, j] = <B[i], B[j]> over the first ``count`` entries, for j <= i: the lower triangle."""
    n: Any = np.int64(B.shape[0])
    i: Any = np.int64(0)
    while i < n:
        other = min(i + 1, n - 1)
        j: Any = np.int64(0)
        while j <= other:
            j1, j2, j3 = min(j + 1, n - 1), min(j + 2, n - 1), min(j + 3, n - 1)
            a0, a1, a2, a3, b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(count):
                x, y = B[i, k], B[other, k]
                z0, z1, z2, z3 = B[j, k], B[j1, k], B[j2, k], B[j3, k]
                a0 += x * z0
                a1 += x * z1
                a2 += x * z2
                a3 += x * z3
                b0 += y * z0
                b1 += y * z1
                b2 += y * z2
                b3 += y * z3
            out[i, j], out[i, j1], out[i, j2], out[i, j3] = a0, a1, a2, a3
            out[other, j], out[other, j1], out[other, j2], out[other, j3] = b0, b1, b2, b3
            j += 4
        i += 2
