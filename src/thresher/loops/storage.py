"""The row primitives every other loop is written in; which code runs is settled when it compiles.

``X`` is what a `Rows` object hands to loops: a two-dimensional array or a `Csr`. A weight vector one
longer than X has columns belongs to a model with a penalised intercept: every row then ends in a 1.
A new storage adds its primitives to `_implementation` and nothing else.
"""

from collections.abc import Callable
from typing import Any, cast

from numba import types
from numba.extending import overload

from thresher.loops import csr, dense
from thresher.loops.compiled import OPTIONS, Function


def dots(X: Any, start: int, stop: int, w: Any, out: Any) -> None:
    """out[k] = <x_(start+k), w> for the rows start..stop."""
    raise NotImplementedError


def combine(X: Any, start: int, stop: int, coefficients: Any, out: Any) -> None:
    """Out += sum over the rows start..stop of coefficients[k] x_(start+k)."""
    raise NotImplementedError


def squares(X: Any, start: int, stop: int, mean: Any, out: Any) -> None:
    """out[k] = |x_(start+k) - mean|^2 or a little more, the constant column left out."""
    raise NotImplementedError


def row_dot(X: Any, i: int, w: Any) -> float:
    """<x_i, w>."""
    raise NotImplementedError


def row_add(X: Any, i: int, coefficient: float, out: Any) -> None:
    """Out += coefficient x_i."""
    raise NotImplementedError


def implements(primitive: Callable[..., Any]) -> Callable[[Function], Function]:
    """Register the function below as the one that picks the code for ``primitive``."""
    options: Any = OPTIONS
    return cast(Callable[[Function], Function], overload(primitive, jit_options=options, strict=False))


def _implementation(X: Any, name: str) -> Callable[..., Any] | None:
    if isinstance(X, types.Array):
        by_column = None if X.layout == "C" else getattr(dense, f"{name}_by_column", None)
        return by_column or getattr(dense, name)
    if getattr(X, "instance_class", None) is csr.Csr:
        return getattr(csr, name)
    return None


@implements(dots)
def _dots(X: Any, start: Any, stop: Any, w: Any, out: Any) -> Any:
    return _implementation(X, "dots")


@implements(combine)
def _combine(X: Any, start: Any, stop: Any, coefficients: Any, out: Any) -> Any:
    return _implementation(X, "combine")


@implements(squares)
def _squares(X: Any, start: Any, stop: Any, mean: Any, out: Any) -> Any:
    return _implementation(X, "squares")


@implements(row_dot)
def _row_dot(X: Any, i: Any, w: Any) -> Any:
    return _implementation(X, "row_dot")


@implements(row_add)
def _row_add(X: Any, i: Any, coefficient: Any, out: Any) -> Any:
    return _implementation(X, "row_add")
