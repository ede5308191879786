"""Thresher itself, by rule and solver; the constant column is explicit, so its own intercept is off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.problems import Data, Floats
from benchmarks.rivals.base import Emit

# Newton's working rows are dense: not tried where all rows would take more bytes than this.
DENSE_LIMIT = 1e9


def problem_of(data: Data) -> Any:
    """Return the set as a problem of thresher's."""
    import thresher

    make = {"hinge": thresher.Problem.svm, "absolute": thresher.Problem.lad}[data.loss]
    return make(data.X, data.y)


def default_name(data: Data) -> str:
    """Return the name of the variant that thresher chooses by itself."""
    import thresher

    return f"thresher {thresher.solvers.find_solver('auto', problem_of(data)).name}+dvi"


@dataclass(frozen=True)
class Thresher:
    """A path with one solver and one rule."""

    solver: str
    rule: str
    easier: str | None = None

    @property
    def name(self) -> str:
        return f"thresher {self.solver}+{self.rule}"

    def refuses(self, data: Data) -> str | None:
        size = 8.0 * data.X.shape[0] * data.X.shape[1]
        if self.solver == "newton" and not hasattr(data.X, "strides") and size > DENSE_LIMIT:
            return f"all rows, dense, would take {size / 1e9:.1f} GB"
        if self.solver == "conjugate" and hasattr(data.X, "strides"):
            return "made for more columns than the dense sets have"
        return None

    def solve(self, data: Data, C: Floats, emit: Emit) -> str:
        import thresher

        gaps: list[float] = []

        def finished(solution: Any) -> None:
            gaps.append(solution.gap)
            emit(solution.coef, solution.dual)

        thresher.solve_path(
            problem_of(data), C, rule=self.rule, solver=self.solver, tol=data.tol, callback=finished
        )
        missed = sum(gap > data.tol for gap in gaps)
        return f"MISSED the gap of {data.tol:g} at {missed} C, worst {max(gaps):.0e}" if missed else ""


VARIANTS = [
    Thresher("newton", "dvi"),
    Thresher("newton", "none"),
    Thresher("conjugate", "dvi"),
    Thresher("descent", "dvi"),
    Thresher("descent", "none", easier="thresher descent+dvi"),
]
