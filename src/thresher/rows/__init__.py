"""Storage of samples: the only modules that know a format."""

from typing import Any

from thresher.rows.base import Rows
from thresher.rows.csr import CsrRows
from thresher.rows.dense import DenseRows

__all__ = ["CsrRows", "DenseRows", "Rows", "as_rows"]


def as_rows(X: Any) -> Rows:
    """Return ``X`` as rows: an array, anything that converts to one, or a SciPy sparse matrix."""
    if isinstance(X, Rows):
        return X
    return CsrRows.from_any(X) if CsrRows.understands(X) else DenseRows.from_any(X)
