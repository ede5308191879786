"""NumPy's files: one array in .npy; X, y and more in .npz, or the pieces of a CSR matrix for X."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from thresher.cli.errors import DataError
from thresher.cli.tables.base import Table

CSR = ("data", "indices", "indptr", "shape")
DAMAGE = (ValueError, EOFError, BadZipFile, zlib.error, KeyError, TypeError)


def stored(file: Path) -> Any:
    """Return what NumPy reads from the file; never anything that has to be unpickled."""
    try:
        with file.open("rb") as stream:
            found = np.load(stream, allow_pickle=False)
            return dict(found) if hasattr(found, "files") else found
    except DAMAGE:
        raise DataError(f"{file} is not a file of plain NumPy arrays, or it is damaged") from None


class OneArray(Table):
    """A .npy file of rows and columns; columns go by their number."""

    def __init__(self, file: Path) -> None:
        self.values = stored(file)
        if isinstance(self.values, dict) or self.values.ndim != 2:
            raise DataError(f"{file} does not hold one array of rows and columns")
        if self.values.dtype.kind not in "iufb":
            raise DataError(f"{file} does not hold numbers, but {self.values.dtype}")
        super().__init__(file, [str(k) for k in range(self.values.shape[1])])

    def matrix(self, names: Sequence[str]) -> NDArray[Any]:
        columns = [self.names.index(name) for name in names]
        taken = self.values if columns == list(range(len(self.names))) else self.values[:, columns]
        return as_floats(taken)

    def column(self, name: str) -> NDArray[Any]:
        column: NDArray[Any] = self.values[:, self.names.index(name)]
        return column


class Archive(Table):
    """An .npz file: ``X``, or a CSR matrix as SciPy saves it, and one-dimensional arrays by name."""

    default_target = "y"

    def __init__(self, file: Path) -> None:
        arrays = stored(file)
        if not isinstance(arrays, dict):
            raise DataError(f"{file} holds one array; name it .npy")
        self.X = _matrix_in(file, arrays)
        self.columns = {name: a for name, a in arrays.items() if a.shape == (self.X.shape[0],)}
        names = arrays.get("columns", np.arange(self.X.shape[1]))
        super().__init__(file, [str(name) for name in names.tolist()])
        if len(self.names) != self.X.shape[1]:
            raise DataError(f"{file} names {len(self.names)} columns, but X has {self.X.shape[1]}")

    def has(self, name: str) -> bool:
        return name in self.columns or name in self.names

    def matrix(self, names: Sequence[str]) -> Any:
        if list(names) == self.names:
            return self.X
        return self.X[:, [self.names.index(name) for name in names]]

    def column(self, name: str) -> NDArray[Any]:
        if name in self.columns:
            return np.asarray(self.columns[name])
        column = self.X[:, [self.names.index(name)]]
        return np.asarray(column.toarray() if hasattr(column, "toarray") else column).ravel()


def _matrix_in(file: Path, arrays: dict[str, Any]) -> Any:
    if "X" in arrays and arrays["X"].ndim == 2 and arrays["X"].dtype.kind in "iufb":
        return as_floats(arrays["X"])
    if not all(name in arrays for name in CSR):
        raise DataError(f"{file} holds neither an array X of rows and columns nor a CSR matrix")
    from scipy.sparse import csr_matrix

    data, indices, indptr, shape = (arrays[name] for name in CSR)
    try:
        return csr_matrix((as_floats(data), indices, indptr), shape=tuple(shape.tolist()))
    except (ValueError, TypeError) as error:
        raise DataError(f"{file} holds a damaged CSR matrix: {error}") from None


def as_floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return floats, in the precision they have."""
    return (
        values if values.dtype.kind == "f" and values.dtype.itemsize in (4, 8) else values.astype(np.float64)
    )
