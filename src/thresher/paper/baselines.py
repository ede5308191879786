"""Modern solvers, with and without screening: shrinking, warm starts and Newton on working sets."""

from __future__ import annotations

from time import process_time

from thresher.paper.records import Baseline, Settings
from thresher.paper.runtime import best_of
from thresher.path import Path, solve_path
from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.solvers import Descent, Newton, Solver
from thresher.status import Status

RULES = ("none", "dvi")


def solvers(settings: Settings) -> list[Solver]:
    """Return descent with shrinking and warm start, and the default solver."""
    return [Descent(max_epochs=settings.epochs), Newton()]


def baselines(problem: Problem, C: Floats, settings: Settings) -> list[Baseline]:
    """Time the package's own path with each solver, without a rule and with DVI."""
    return [_timed(problem, C, solver, rule, settings) for solver in solvers(settings) for rule in RULES]


def _timed(problem: Problem, C: Floats, solver: Solver, rule: str, settings: Settings) -> Baseline:
    def once() -> tuple[float, tuple[float, Path]]:
        begin = process_time()
        path = solve_path(problem, C, rule=rule, solver=solver, tol=settings.gap)
        seconds = process_time() - begin
        return seconds, (seconds, path)

    seconds, path = best_of(settings, once)
    met = int((path.gap <= settings.gap).sum())
    return Baseline(solver.name, rule, seconds, met, path.status.count(Status.CLOSED_FORM))
