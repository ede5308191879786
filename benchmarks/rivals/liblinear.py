"""LIBLINEAR by scikit-learn, fit at every C: with its default tolerance and limit, or to convergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.problems import Data, Floats
from benchmarks.rivals.base import Emit
from benchmarks.rivals.warned import counted_warnings

# With this tolerance the relative suboptimality is about 1e-6 where it is reached at all; the limit leaves it
# to that.
CONVERGED, MAX_ITER = 1e-5, 100_000_000


@dataclass(frozen=True)
class Liblinear:
    """LinearSVC and LinearSVR."""

    name: str = "scikit-learn"
    tol: float | None = None
    easier: str | None = None

    def refuses(self, data: Data) -> str | None:
        return None

    def _model(self, loss: str, C: float) -> Any:
        from sklearn.svm import LinearSVC, LinearSVR

        given: dict[str, Any] = {"C": C, "fit_intercept": False, "random_state": 0}
        if self.tol is not None:
            given |= {"tol": self.tol, "max_iter": MAX_ITER}
        if loss == "hinge":
            return LinearSVC(loss="hinge", **given)
        return LinearSVR(epsilon=0.0, **given)

    def solve(self, data: Data, C: Floats, emit: Emit) -> str:
        with counted_warnings() as warned:
            for value in C:
                emit(self._model(data.loss, float(value)).fit(data.X, data.y).coef_.ravel())
        return warned.sentence()


VARIANTS = [Liblinear(), Liblinear("scikit-learn, converged", CONVERGED, "scikit-learn")]
