"""Samples in a CSR matrix, float64 or float32, int32 or int64 indices, used in place."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from thresher.loops.csr import Csr
from thresher.rows.base import Floats, Indices, Rows

# Working rows with more entries than this share are made dense.
DENSE_SHARE = 0.2


def _canonical(matrix: Any) -> Any:
    """Return the matrix with float values and without entries that stand twice."""
    if matrix.dtype not in (np.float64, np.float32):
        if matrix.dtype.kind not in "biuf":
            raise TypeError(f"X has the unsupported dtype {matrix.dtype}; use float64 or float32")
        matrix = matrix.astype(np.float64)
    if not matrix.has_canonical_format:
        # |x_i|^2 is the sum of squared entries only where every entry stands once.
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def unsigned(indices: NDArray[Any]) -> NDArray[Any]:
    """Return the same indices as loops take them; signed ones might count from the end, which costs time."""
    return indices.view(f"u{indices.dtype.itemsize}")


class CsrRows(Rows):
    """Samples in a CSR matrix; entries are never made dense."""

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix
        self.samples, self.features = matrix.shape

    @classmethod
    def understands(cls, X: Any) -> bool:
        """Say whether ``X`` is a SciPy sparse matrix or array."""
        return bool(scipy.sparse.issparse(X))

    @classmethod
    def from_any(cls, X: Any) -> Self:
        """Check ``X`` and wrap it; other sparse formats are converted to CSR."""
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions (samples, features), got {X.ndim}")
        matrix = X.tocsr()
        if 0 in matrix.shape:
            raise ValueError(f"X is empty: it has {matrix.shape[0]} rows and {matrix.shape[1]} columns")
        matrix.check_format(full_check=True)
        matrix = _canonical(matrix)
        finite = np.isfinite(matrix.data)
        if not finite.all():
            entry = int(np.flatnonzero(~finite)[0])
            row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
            raise ValueError(
                f"X holds NaN or infinity in column {matrix.indices[entry]} (first at row {row}); "
                "impute or drop it first"
            )
        return cls(matrix)

    @property
    def data(self) -> Csr:
        matrix = self._matrix
        return Csr(matrix.data, unsigned(matrix.indices), unsigned(matrix.indptr), self.features)

    def pieces(self) -> Iterator[NDArray[Any]]:
        yield self._matrix.data
        yield self._matrix.indices.astype(np.int64)
        yield self._matrix.indptr.astype(np.int64)

    def extract(self, samples: Indices, below: Floats | None = None) -> Any:
        taken = self._matrix[samples]
        if below is None:
            return taken
        # The same class: SciPy's arrays and matrices differ in what * means.
        added = type(taken)(below.astype(taken.dtype))
        return scipy.sparse.vstack([taken, added], format="csr")

    def with_column(self, value: float) -> Any:
        matrix = self._matrix
        column = type(matrix)(np.full((self.samples, 1), value, dtype=matrix.dtype))
        return scipy.sparse.hstack([matrix, column], format="csr")

    def working(self, scale: Floats, index: Indices, dimension: int) -> Any:
        """Return the rows dense where they are nearly so, else as a `Csr` of float64 and int64."""
        if self.entries_per_sample > DENSE_SHARE * self.features:
            return super().working(scale, index, dimension)
        rows = self._matrix[index % self.samples]
        factors = scale[index] if scale.size > 1 else np.full(index.size, scale[0])
        counts = np.diff(rows.indptr)
        data, indices = np.repeat(factors, counts) * rows.data, rows.indices.astype(np.int64)
        indptr = rows.indptr.astype(np.int64)
        if dimension > self.features:
            data = np.insert(data, indptr[1:], factors)
            indices = np.insert(indices, indptr[1:], self.features)
            indptr += np.arange(indptr.size)
        return Csr(data.astype(np.float64, copy=False), unsigned(indices), unsigned(indptr), dimension)

    @property
    def entries_per_sample(self) -> float:
        return float(self._matrix.nnz / self.samples)

    def to_dense(self) -> Floats:
        return np.asarray(self._matrix.toarray(), dtype=np.float64)
