"""LIBSVM by scikit-learn, fit at every C.

Its intercept cannot be switched off. Every row x, y is given once more as -x, -y at half the C: the
free intercept is then 0 at the optimum and the weights are those of the model without one. That
doubles the rows, which its time pays for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.problems import Data, Floats
from benchmarks.rivals.base import Emit
from benchmarks.rivals.warned import counted_warnings

# Its time grows with the square of the rows or faster.
MAX_ROWS = 10_000


def mirrored(data: Data) -> tuple[Any, Floats]:
    """Return the rows and their mirror images."""
    stack = np.vstack if isinstance(data.X, np.ndarray) else scipy.sparse.vstack
    X = stack([data.X, -data.X])
    return (X if isinstance(X, np.ndarray) else X.tocsr()), np.concatenate([data.y, -data.y])


@dataclass(frozen=True)
class Libsvm:
    """SVC and SVR with the linear kernel."""

    name: str = "LIBSVM"
    easier: str | None = None

    def refuses(self, data: Data) -> str | None:
        if data.X.shape[0] > MAX_ROWS:
            return f"only tried up to {MAX_ROWS} rows"
        return None

    def _model(self, loss: str, C: float) -> Any:
        from sklearn.svm import SVC, SVR

        return SVC(kernel="linear", C=C) if loss == "hinge" else SVR(kernel="linear", C=C, epsilon=0.0)

    def solve(self, data: Data, C: Floats, emit: Emit) -> str:
        X, y = mirrored(data)
        with counted_warnings() as warned:
            for value in C:
                coef = self._model(data.loss, 0.5 * float(value)).fit(X, y).coef_
                emit((coef if isinstance(coef, np.ndarray) else coef.toarray()).ravel())
        return ", ".join(filter(None, ["mirrored rows", warned.sentence()]))


VARIANTS = [Libsvm()]
