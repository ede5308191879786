"""Samples in a two-dimensional array, float64 or float32, in C or Fortran order, used in place."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher.rows.base import Floats, Indices, Rows

# Values are checked for NaN and infinity this many entries at a time.
CHUNK = 1 << 20


def column_label(position: int, names: list[str] | None) -> str:
    """Say which column is meant, by name where it has one."""
    return f"column {position}" if names is None else f"column {names[position]!r}"


def feature_names(X: Any) -> list[str] | None:
    """Return the column names of a data frame, None for anything else."""
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(name) for name in columns]


def _numeric_array(X: Any, names: list[str] | None) -> NDArray[Any]:
    """Return X as a float64 or float32 array, or say which column stands in the way."""
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"X must have two dimensions (samples, features), got {array.ndim}; "
            "a single feature is X.reshape(-1, 1)"
        )
    if array.dtype in (np.float64, np.float32):
        return array
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind == "O":
        for j in range(array.shape[1]):
            try:
                array[:, j].astype(np.float64)
            except (TypeError, ValueError):
                raise TypeError(
                    f"X holds values that are not numbers in {column_label(j, names)}; encode them first"
                ) from None
        return array.astype(np.float64)
    raise TypeError(f"X has the unsupported dtype {array.dtype}; use float64 or float32")


def _require_finite(array: NDArray[Any], names: list[str] | None) -> None:
    step = max(1, CHUNK // max(1, array.shape[1]))
    for start in range(0, array.shape[0], step):
        finite = np.isfinite(array[start : start + step])
        if not finite.all():
            i, j = (int(position[0]) for position in np.nonzero(~finite))
            raise ValueError(
                f"X holds NaN or infinity in {column_label(j, names)} (first at row {start + i}); "
                "impute or drop it first"
            )


class DenseRows(Rows):
    """Samples in a dense array."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array
        self.samples, self.features = array.shape

    @classmethod
    def from_any(cls, X: Any) -> Self:
        """Check ``X`` and wrap it; copied only where neither float64 nor float32, or not contiguous."""
        names = feature_names(X)
        array = _numeric_array(X, names)
        if 0 in array.shape:
            raise ValueError(f"X is empty: it has {array.shape[0]} rows and {array.shape[1]} columns")
        _require_finite(array, names)
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            array = np.ascontiguousarray(array)
        return cls(array)

    @property
    def data(self) -> NDArray[Any]:
        return self._array

    def pieces(self) -> Iterator[NDArray[Any]]:
        step = max(1, CHUNK // self.features)
        for start in range(0, self.samples, step):
            yield np.ascontiguousarray(self._array[start : start + step])

    def extract(self, samples: Indices, below: Floats | None = None) -> NDArray[Any]:
        if self._array.flags.c_contiguous:
            taken = self._array.take(samples, axis=0)
            return taken if below is None else np.concatenate([taken, below.astype(taken.dtype)])
        taken = self._array.T.take(samples, axis=1).T
        return taken if below is None else np.asfortranarray(np.vstack([taken, below.astype(taken.dtype)]))

    def with_column(self, value: float) -> NDArray[Any]:
        return np.column_stack([self._array, np.full(self.samples, value, dtype=self._array.dtype)])

    @property
    def entries_per_sample(self) -> float:
        return float(self.features)

    def to_dense(self) -> Floats:
        return np.asarray(self._array, dtype=np.float64)
