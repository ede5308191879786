"""LIBLINEAR by scikit-learn, fit at every C with its default tolerance and limit of iterations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.problems import Data, Floats
from benchmarks.rivals.base import Emit
from benchmarks.rivals.warned import counted_warnings


@dataclass(frozen=True)
class Liblinear:
    """LinearSVC and LinearSVR."""

    name: str = "scikit-learn"
    easier: str | None = None

    def refuses(self, data: Data) -> str | None:
        return None

    def _model(self, loss: str, C: float) -> Any:
        from sklearn.svm import LinearSVC, LinearSVR

        if loss == "hinge":
            return LinearSVC(loss="hinge", C=C, fit_intercept=False, random_state=0)
        return LinearSVR(epsilon=0.0, C=C, fit_intercept=False, random_state=0)

    def solve(self, data: Data, C: Floats, emit: Emit) -> str:
        with counted_warnings() as warned:
            for value in C:
                emit(self._model(data.loss, float(value)).fit(data.X, data.y).coef_.ravel())
        return warned.sentence()


VARIANTS = [Liblinear()]
