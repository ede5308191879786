"""Row primitives for a dense matrix; same names as in `csr`, see `storage` for their contract.

A matrix in Fortran order is read a column at a time within a block of rows (`*_by_column`), so that
its memory is read in the order in which it lies.
"""

from typing import Any


def dots(X: Any, start: int, stop: int, w: Any, out: Any) -> None:
    n = X.shape[1]
    base = w[n] if w.size > n else 0.0
    for i in range(start, stop):
        total = 0.0
        for j in range(n):
            total += X[i, j] * w[j]
        out[i - start] = total + base


def dots_by_column(X: Any, start: int, stop: int, w: Any, out: Any) -> None:
    n = X.shape[1]
    base = w[n] if w.size > n else 0.0
    for i in range(start, stop):
        out[i - start] = base
    for j in range(n):
        weight = w[j]
        for i in range(start, stop):
            out[i - start] += X[i, j] * weight


def combine(X: Any, start: int, stop: int, coefficients: Any, out: Any) -> None:
    n = X.shape[1]
    extended = out.size > n
    for i in range(start, stop):
        coefficient = coefficients[i - start]
        if coefficient != 0.0:
            for j in range(n):
                out[j] += coefficient * X[i, j]
            if extended:
                out[n] += coefficient


def combine_by_column(X: Any, start: int, stop: int, coefficients: Any, out: Any) -> None:
    n = X.shape[1]
    for j in range(n):
        total = 0.0
        for i in range(start, stop):
            total += coefficients[i - start] * X[i, j]
        out[j] += total
    if out.size > n:
        for i in range(start, stop):
            out[n] += coefficients[i - start]


def squares(X: Any, start: int, stop: int, mean: Any, out: Any) -> None:
    n = X.shape[1]
    for i in range(start, stop):
        total = 0.0
        for j in range(n):
            total += (X[i, j] - mean[j]) ** 2
        out[i - start] = total


def squares_by_column(X: Any, start: int, stop: int, mean: Any, out: Any) -> None:
    for i in range(start, stop):
        out[i - start] = 0.0
    for j in range(X.shape[1]):
        for i in range(start, stop):
            out[i - start] += (X[i, j] - mean[j]) ** 2


def row_dot(X: Any, i: int, w: Any) -> float:
    n = X.shape[1]
    total = w[n] if w.size > n else 0.0
    for j in range(n):
        total += X[i, j] * w[j]
    return total


def row_add(X: Any, i: int, coefficient: float, out: Any) -> None:
    n = X.shape[1]
    for j in range(n):
        out[j] += coefficient * X[i, j]
    if out.size > n:
        out[n] += coefficient
