"""Products with the working rows; which code runs is settled when it compiles.

Dense ones are stored by columns: A[j] holds column j of all rows. There are many more rows than columns, and
loops along rows fill vector units whatever the number of columns is. Several columns go at a time, so that
what they share is read once. Sparse ones are a `Csr`, a row each, every entry of w among its columns.
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import inner
from thresher.loops.csr import Csr
from thresher.loops.storage import implements


def add_scores(A: Any, w: Any, s: Any) -> None:
    """s[i] += <a_i, w> for all rows."""
    raise NotImplementedError


def subtract_rows(A: Any, values: Any, factor: float, out: Any) -> None:
    """Out -= factor sum values[i] a_i."""
    raise NotImplementedError


def add_squares(A: Any, rows: Any, roots: Any, count: int, scratch: Any, H: Any) -> None:
    """Set H = sum roots[k]^2 a_i a_i' over the rows i = rows[k], k < count: the upper triangle."""
    raise NotImplementedError


def set_row(A: Any, i: int, scale: float, out: Any) -> int:
    """Out = scale a_i; returns where its entries begin."""
    raise NotImplementedError


def _is_sparse(A: Any) -> bool:
    return getattr(A, "instance_class", None) is Csr


@implements(add_scores)
def _add_scores(A: Any, w: Any, s: Any) -> Any:
    return _sparse_scores if _is_sparse(A) else _dense_scores


@implements(subtract_rows)
def _subtract_rows(A: Any, values: Any, factor: Any, out: Any) -> Any:
    return _sparse_rows if _is_sparse(A) else _dense_rows


@implements(add_squares)
def _add_squares(A: Any, rows: Any, roots: Any, count: Any, scratch: Any, H: Any) -> Any:
    return _sparse_squares if _is_sparse(A) else _dense_squares


@implements(set_row)
def _set_row(A: Any, i: Any, scale: Any, out: Any) -> Any:
    return _sparse_set if _is_sparse(A) else _dense_set


def _dense_scores(A: Any, w: Any, s: Any) -> None:
    add_columns(A, w, s)


def _dense_rows(A: Any, values: Any, factor: float, out: Any) -> None:
    subtract_products(A, values, factor, out)


def _dense_squares(A: Any, rows: Any, roots: Any, count: int, scratch: Any, H: Any) -> None:
    for j in range(H.shape[0]):
        for k in range(count):
            scratch[j, k] = roots[k] * A[j, rows[k]]
    gram(scratch, count, H)


def _dense_set(A: Any, i: int, scale: float, out: Any) -> int:
    for j in range(out.size):
        out[j] = scale * A[j, i]
    return 0


def _sparse_scores(A: Any, w: Any, s: Any) -> None:
    for i in range(s.size):
        total = 0.0
        for p in range(A.indptr[i], A.indptr[i + 1]):
            total += A.data[p] * w[A.indices[p]]
        s[i] += total


def _sparse_rows(A: Any, values: Any, factor: float, out: Any) -> None:
    for i in range(values.size):
        if values[i] != 0.0:
            for p in range(A.indptr[i], A.indptr[i + 1]):
                out[A.indices[p]] -= factor * values[i] * A.data[p]


def _sparse_squares(A: Any, rows: Any, roots: Any, count: int, scratch: Any, H: Any) -> None:
    H[:] = 0.0
    for k in range(count):
        start, stop = A.indptr[rows[k]], A.indptr[rows[k] + 1]
        square = roots[k] * roots[k]
        # Columns ascend within a row, so what is written lies on or above the diagonal.
        for p in range(start, stop):
            value, i = square * A.data[p], A.indices[p]
            for q in range(p, stop):
                H[i, A.indices[q]] += value * A.data[q]


def _sparse_set(A: Any, i: int, scale: float, out: Any) -> Any:
    out[:] = 0.0
    start, stop = A.indptr[i], A.indptr[i + 1]
    for p in range(start, stop):
        out[A.indices[p]] = scale * A.data[p]
    return np.int64(A.indices[start]) if stop > start else out.size


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
    """out[j, i] = <B[i], B[j]> over the first ``count`` entries, for j <= i: the upper triangle."""
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
            out[j, i], out[j1, i], out[j2, i], out[j3, i] = a0, a1, a2, a3
            out[j, other], out[j1, other], out[j2, other], out[j3, other] = b0, b1, b2, b3
            j += 4
        i += 2
