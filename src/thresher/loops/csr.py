"""Row primitives for a CSR matrix; same names as in `dense`, see `storage` for their contract."""

from typing import Any, NamedTuple

from thresher.loops.compiled import EPSILON


class Csr(NamedTuple):
    """A CSR matrix as the loops see it, with unsigned indices; ``columns`` is its number of columns."""

    data: Any
    indices: Any
    indptr: Any
    columns: int


def dots(X: Any, start: int, stop: int, w: Any, out: Any) -> None:
    base = w[X.columns] if w.size > X.columns else 0.0
    for i in range(start, stop):
        total = 0.0
        for p in range(X.indptr[i], X.indptr[i + 1]):
            total += X.data[p] * w[X.indices[p]]
        out[i - start] = total + base


def combine(X: Any, start: int, stop: int, coefficients: Any, out: Any) -> None:
    extended = out.size > X.columns
    for i in range(start, stop):
        coefficient = coefficients[i - start]
        if coefficient != 0.0:
            for p in range(X.indptr[i], X.indptr[i + 1]):
                out[X.indices[p]] += coefficient * X.data[p]
            if extended:
                out[X.columns] += coefficient


def squares(X: Any, start: int, stop: int, mean: Any, out: Any) -> None:
    # |x - m|^2 = |m|^2 + sum over stored entries of (x_j - m_j)^2 - m_j^2, which cancels where x is near
    # m: the rounding of the sums is added, so that the result is not too small.
    base = 0.0
    for j in range(mean.size):
        base += mean[j] ** 2
    for i in range(start, stop):
        added, removed = 0.0, 0.0
        for p in range(X.indptr[i], X.indptr[i + 1]):
            centre = mean[X.indices[p]]
            added += (X.data[p] - centre) ** 2
            removed += centre**2
        rounding = (mean.size + 8) * EPSILON * base
        out[i - start] = added + max(base - removed, 0.0) + rounding


def row_dot(X: Any, i: int, w: Any) -> float:
    total = w[X.columns] if w.size > X.columns else 0.0
    for p in range(X.indptr[i], X.indptr[i + 1]):
        total += X.data[p] * w[X.indices[p]]
    return total


def row_add(X: Any, i: int, coefficient: float, out: Any) -> None:
    for p in range(X.indptr[i], X.indptr[i + 1]):
        out[X.indices[p]] += coefficient * X.data[p]
    if out.size > X.columns:
        out[X.columns] += coefficient
