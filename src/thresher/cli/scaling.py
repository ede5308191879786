"""Columns brought to one scale, and coefficients brought back to the scale of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.cli.data import Floats


@dataclass(frozen=True, eq=False)
class Scaling:
    """What is taken off each column, and what it is divided by."""

    mean: Floats
    deviation: Floats

    @classmethod
    def none(cls, X: Any) -> Scaling:
        """Return the scaling that changes nothing."""
        return cls(np.zeros(X.shape[1]), np.ones(X.shape[1]))

    @classmethod
    def of(cls, X: Any, *, centre: bool) -> Scaling:
        """Return what gives columns deviation 1 and, where they are dense and it is asked for, mean 0."""
        mean, square = (np.asarray(part.mean(axis=0)).ravel() for part in (X, _squared(X)))
        mean = mean if centre and not hasattr(X, "tocsr") else np.zeros_like(mean)
        deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        # What rounding leaves of a constant column is no deviation.
        constant = deviation <= 1e-7 * np.sqrt(square)
        return cls(mean, np.where(constant, 1.0, deviation))

    def apply(self, X: Any) -> Any:
        """Return the columns brought to one scale."""
        if hasattr(X, "tocsr"):
            return X.multiply(1.0 / self.deviation).tocsr()
        return (X - self.mean) / self.deviation

    def restored(self, coef: Floats, intercept: float) -> tuple[Floats, float]:
        """Return coefficients and intercept for the columns as they were."""
        original = coef / self.deviation
        return original, intercept - float(original @ self.mean)


def _squared(X: Any) -> Any:
    return X.multiply(X) if hasattr(X, "tocsr") else X * X
