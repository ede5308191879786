"""Row primitives for a CSR matrix; same names as in `dense`, see `storage` for their contract."""

from typing import Any, NamedTuple

import numpy as np


class Csr(NamedTuple):
    """A CSR matrix as the loops see it; ``columns`` is its number of columns."""

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


def squares(X: Any, start: int, stop: int, out: Any) -> None:
    for i in range(start, stop):
        total = 0.0
        for p in range(X.indptr[i], X.indptr[i + 1]):
            total += np.float64(X.data[p]) * np.float64(X.data[p])
        out[i - start] = total


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
