"""Solvers: one file each, found by name."""

from typing import Final

from thresher.problem import Problem
from thresher.solvers.base import Answer, Solver, Start
from thresher.solvers.descent import Descent
from thresher.solvers.newton import Newton

__all__ = ["SOLVERS", "Answer", "Descent", "Newton", "Solver", "Start", "find_solver"]

SOLVERS: Final[dict[str, type[Solver]]] = {"newton": Newton, "descent": Descent}

# Newton's dense working rows beat coordinate descent up to about this many columns, or rows.
NEWTON_DIMENSIONS = 500


def find_solver(solver: str | Solver, problem: Problem) -> Solver:
    """Return the solver of that name, the object itself, or for "auto" the cheaper one."""
    if not isinstance(solver, str):
        if not callable(getattr(solver, "solve", None)):
            raise TypeError(f"solver must be a name or an object with a method solve, got {solver!r}")
        return solver
    if solver == "auto":
        small = min(problem.dimension, problem.size) <= NEWTON_DIMENSIONS
        return Newton() if small else Descent()
    if solver not in SOLVERS:
        names = ", ".join(map(repr, [*SOLVERS, "auto"]))
        raise ValueError(f"solver must be one of {names}, got {solver!r}")
    return SOLVERS[solver]()
