"""How every loop is compiled, and the rounding unit their error bounds rest on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered and products fused, which the error bounds allow for. Infinities and NaN keep
# their meaning: a comparison with NaN is false, and a row is then never certified.
FASTMATH: Final = frozenset({"reassoc", "contract", "nsz"})
OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "fastmath": set(FASTMATH)}

# Twice the unit roundoff of float64: all bounds below use it and so have a factor of two to spare.
EPSILON: Final = float(np.finfo(np.float64).eps)

# What nothing is divided by less than.
TINY: Final = float(np.finfo(np.float64).tiny)

# Added to squared radii: more than underflow can take from a sum of squares.
UNDERFLOW: Final = 1e-290

# Rows that are summed before the compensated total takes them in, and rows that share a buffer.
BLOCK: Final = 256


# Changes with every file that holds loops.
STAMP: Final = tuple(
    (file.name, file.stat().st_mtime, file.stat().st_size)
    for file in sorted(Path(__file__).parent.glob("*.py"))
)


def loop(function: Function) -> Function:
    """Compile a loop that Python calls; cached on disk, without the interpreter lock."""
    return _compiled(function)


def inner(function: Function) -> Function:
    """Compile a piece of a loop: without the wrapper for Python, which takes longer than the piece."""
    return _compiled(function, no_cpython_wrapper=True)


def part(function: Function) -> Function:
    """Compile a piece as part of every loop that has it: where there is one, that is half the work."""
    return _compiled(function, inline="always")


def exact(function: Function) -> Function:
    """Compile a piece without reordering: for compensated sums, which reordering would undo."""
    return _compiled(function, no_cpython_wrapper=True, fastmath=False)


def _compiled(function: Function, **options: Any) -> Function:
    njit: Any = numba.njit
    compiled = njit(cache=True, no_cfunc_wrapper=True, **{**OPTIONS, **options})(function)
    # Numba takes what is on disk as long as a loop's own file is the same; what it calls may be in others.
    compiled._cache._cache_file._source_stamp = STAMP
    return cast(Function, compiled)


def gamma(terms: int) -> float:
    """The bound on the relative error of a sum of ``terms`` products: n eps / (1 - n eps)."""
    return terms * EPSILON / (1.0 - terms * EPSILON)
