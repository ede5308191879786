"""ReHLine's path: one model, warm-started from each C to the next, as its own path function does it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.problems import Data, Floats
from benchmarks.rivals.base import Emit
from benchmarks.rivals.warned import counted_warnings

LOSSES = {"hinge": {"name": "svm"}, "absolute": {"name": "MAE"}}
# The tolerance is to stop it, not this limit.
MAX_ITER = 1_000_000


@dataclass(frozen=True)
class Rehline:
    """``plqERM_Ridge_path_sol`` without the objective values it computes on the side."""

    tol: float
    easier: str | None = None

    @property
    def name(self) -> str:
        return f"ReHLine {self.tol:g}"

    def refuses(self, data: Data) -> str | None:
        return None

    def solve(self, data: Data, C: Floats, emit: Emit) -> str:
        from rehline import plqERM_Ridge

        model = plqERM_Ridge(
            loss=LOSSES[data.loss], C=float(C[0]), tol=self.tol, max_iter=MAX_ITER, warm_start=True
        )
        with counted_warnings() as warned:
            for value in C:
                model.C = float(value)
                model.fit(data.X, data.y)
                emit(np.array(model.coef_))
        return warned.sentence()


VARIANTS = [Rehline(1e-4), Rehline(1e-6, "ReHLine 0.0001"), Rehline(1e-8, "ReHLine 1e-06")]
