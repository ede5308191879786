"""Solvers: one file each, found by name."""

from typing import Final

from thresher.problem import Problem
from thresher.solvers.base import Answer, Solver, Start
from thresher.solvers.conjugate import Conjugate
from thresher.solvers.descent import Descent
from thresher.solvers.levelled import Levelled
from thresher.solvers.newton import Newton

__all__ = [
    "SOLVERS",
    "Answer",
    "Conjugate",
    "Descent",
    "Levelled",
    "Newton",
    "Solver",
    "Start",
    "find_solver",
]

SOLVERS: Final[dict[str, type[Solver]]] = {
    "newton": Newton,
    "conjugate": Conjugate,
    "descent": Descent,
}

# "auto" takes Newton up to this many columns, or rows where they are fewer, and where all rows made
# dense would fit into this many bytes (wide data; of tall data only a share is ever made dense). Seconds
# for 100 values of C at 1e-6, newton, conjugate and descent: see docs/benchmarks.md.
NEWTON_DIMENSIONS, NEWTON_BYTES = 500, 1e9
# Of data that is stored dense, or nearly so, up to this many columns: on 20,000 × 2,000 Newton's first point
# takes 26 s, and the other two have none after a minute.
NEWTON_DENSE, NEARLY = 3000, 0.3


def find_solver(solver: str | Solver, problem: Problem) -> Solver:
    """Return the solver of that name, the object itself, or for "auto" the cheaper one."""
    if not isinstance(solver, str):
        if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
            raise TypeError(f"solver must be a name or an object with a method solve, got {solver!r}")
        return solver
    if solver == "auto":
        is_dense = problem.rows.entries_per_sample >= NEARLY * problem.features
        tall = problem.dimension <= (NEWTON_DENSE if is_dense else NEWTON_DIMENSIONS)
        wide = problem.size <= NEWTON_DIMENSIONS and 8.0 * problem.size * problem.dimension <= NEWTON_BYTES
        solver = "newton" if tall or wide else "conjugate"
    if solver not in SOLVERS:
        names = ", ".join(map(repr, [*SOLVERS, "auto"]))
        raise ValueError(f"solver must be one of {names}, got {solver!r}")
    chosen = SOLVERS[solver]()
    return chosen if solver == "newton" or not problem.frame.is_free else Levelled(chosen)
