"""Scores points, whoever found them: NumPy only, and nothing of what is measured.

P(w) = |w|^2 / 2 + C sum loss_i, where the loss is the hinge max(0, 1 - y_i <x_i, w>) or the absolute
residual |y_i - <x_i, w>|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Scores are formed for this many (row, point) pairs at a time: 64 MB.
BLOCK = 1 << 23


def losses_of(loss: str, predictions: Floats, y: Floats) -> Floats:
    """Return the loss of every row for predictions of one point a column."""
    if loss == "hinge":
        return np.maximum(0.0, 1.0 - y[:, None] * predictions)
    if loss == "absolute":
        return np.abs(y[:, None] - predictions)
    raise ValueError(f"loss must be 'hinge' or 'absolute', got {loss!r}")


def primal_values(X: Any, y: Floats, loss: str, C: Floats, points: Floats) -> Floats:
    """Return P at each C of the point in the same row of ``points``."""
    totals = np.zeros(C.size)
    step = max(1, BLOCK // max(1, C.size))
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        totals += losses_of(loss, np.asarray(X[rows] @ points.T), y[rows]).sum(axis=0)
    return 0.5 * np.einsum("ij,ij->i", points, points) + C * totals


@dataclass(frozen=True)
class Reference:
    """The best value known at each C, and the largest proven lower bound (NaN where there is none)."""

    best: Floats
    bound: Floats

    @classmethod
    def over(cls, values: list[Floats], bounds: list[Floats]) -> Reference:
        """Take the best of all solvers; values are NaN where a solver has no point."""
        return cls(np.fmin.reduce(values), np.fmax.reduce(bounds))

    @property
    def uncertainty(self) -> float:
        """How far the best values may be above the optimum, relative, at worst."""
        known = np.isfinite(self.bound)
        if not known.any():
            return float("nan")
        return float(((self.best - self.bound) / scale_of(self.best))[known].max())

    @property
    def crossed(self) -> int:
        """At how many C a point lies below the proven bound by more than rounding: never, if all is well."""
        return int(np.count_nonzero(self.best < self.bound - 1e-12 * scale_of(self.best)))

    def suboptimality(self, values: Floats) -> float:
        """Return the worst relative excess over the best known values, where there are points."""
        return worst((values - self.best) / scale_of(self.best))


def worst_gap(values: Floats, bounds: Floats) -> float:
    """Return the worst relative gap between a solver's points and its own lower bounds."""
    return worst((values - bounds) / scale_of(values))


def worst(shares: Floats) -> float:
    """Return the largest of the known entries, NaN where there is none."""
    known = shares[np.isfinite(shares)]
    return float(known.max()) if known.size else float("nan")


def scale_of(values: Floats) -> Floats:
    """Return what relative errors refer to."""
    return np.maximum(np.abs(values), np.finfo(np.float64).tiny)
