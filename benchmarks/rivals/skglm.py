"""skglm's LinearSVC, fit at every C with its default tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.problems import Data, Floats
from benchmarks.rivals.base import Emit
from benchmarks.rivals.warned import counted_warnings


@dataclass(frozen=True)
class Skglm:
    """LinearSVC; there is nothing for regression."""

    name: str = "skglm"
    easier: str | None = None

    def refuses(self, data: Data) -> str | None:
        return None if data.loss == "hinge" else "skglm has no absolute loss without l1 penalty"

    def solve(self, data: Data, C: Floats, emit: Emit) -> str:
        from skglm import LinearSVC

        stopped = 0
        with counted_warnings() as warned:
            for value in C:
                model = LinearSVC(C=float(value), fit_intercept=False).fit(data.X, data.y)
                stopped += model.n_iter_ >= model.max_iter
                emit(model.coef_.ravel())
        limit = f"stopped at its limit of iterations at {stopped} C" if stopped else ""
        return ", ".join(filter(None, [limit, warned.sentence()]))


VARIANTS = [Skglm()]
