"""``thresher path``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

import thresher as th
from thresher.cli import options, output
from thresher.cli.data import Data, Floats, Source, training_rows
from thresher.cli.errors import DONE, NOT_CONVERGED, Interrupted, UseError, data_errors
from thresher.cli.progress import path_progress
from thresher.cli.scaling import Scaling
from thresher.cli.task import Task, grid_of
from thresher.cli.training import warn

# Lines of the table that people see, of all values of C.
SHOWN = 12


@click.command("path")
@options.reads_rows
@options.chooses_model
@options.many_C("101")
@click.option("--rule", default="dvi", show_default=True, help="dvi, dvi*, ssnsv, essnsv or none.")
@click.option("--solver", default="auto", show_default=True, help="auto, newton, descent, …")
@click.option("--resume", type=options.FILE, metavar="FILE.npz", help="Take finished points from here.")
@click.option(
    "--output", "-o", "place", type=options.FILE, metavar="FILE", help=".npz to resume from, .csv or .json."
)
@options.report_option
@options.json_option
def command(
    source: Source,
    task: Task,
    Cs: int | Floats,
    rule: str,
    solver: str,
    resume: Path | None,
    place: Path | None,
    report: Path | None,
    for_machines: bool,
) -> int:
    """Solve the rows of FILE for a whole range of C, every point with its duality gap.

    Ctrl-C keeps the points that are finished: they are written, and --resume goes on from them.
    """
    places = Places(place, report)
    data = training_rows(source)
    problem, scaling = task.problem_of(data)
    begin, grid, interrupted = time.perf_counter(), grid_of(problem, Cs), False
    start = None if resume is None else _earlier(resume, problem)
    with data_errors(), path_progress(len(grid)) as callback:
        try:
            path = th.solve_path(
                problem, grid, rule=rule, solver=solver, tol=task.tol, callback=callback, start=start
            )
        except th.PathInterrupted as interruption:
            path, interrupted = interruption.path, True
    if len(path):
        _say(path, data, scaling, time.perf_counter() - begin, for_machines)
        for written in places.fill(path, data, scaling, f"{source.file.name}: {task.loss}"):
            click.echo(f"written: {written}", err=for_machines)
    if interrupted:
        kept = f", kept in {place}" if place and len(path) else ""
        raise Interrupted(f"interrupted after {len(path)} of {len(grid)} values of C{kept}")
    return _code(path)


class Places:
    """Where the path goes."""

    def __init__(self, file: Path | None, report: Path | None) -> None:
        self.file, self.report = file, report
        output.check_place(file, [".npz", ".csv", ".json"])
        output.check_report(report)

    def fill(self, path: th.Path, data: Data, scaling: Scaling, title: str) -> list[Path]:
        """Write what was asked for, and return what was written."""
        if self.file is not None:
            output.save(self.file, lambda place: _write(place, path, data, scaling))
        if self.report is not None:
            page = path.report(title=title, names=data.names)
            output.save(self.report, page.save)
        return [place for place in (self.file, self.report) if place is not None]


def _earlier(file: Path, problem: th.Problem) -> th.Path:
    if not file.exists():
        raise UseError(f"{file}: there is no such file")
    with data_errors():
        return th.Path.load(file, problem)


def _say(path: th.Path, data: Data, scaling: Scaling, seconds: float, for_machines: bool) -> None:
    if for_machines:
        output.say_json({"command": "path", **facts_of(path, data, scaling), "seconds": seconds})
        return
    chosen = range(len(path)) if len(path) <= SHOWN else _spread(len(path))
    output.say_table(
        f"{path.problem.loss} on {data.rows} rows × {len(data.names)} columns: {len(path)} values of C "
        f"in {seconds:.2g} s, largest relative gap {path.gap_bound.max():.0e}",
        ["C", "primal", "gap", "proven LOWER", "proven UPPER", "ms", "status"],
        [_line(path[k]) for k in chosen],
    )


def _spread(count: int) -> list[int]:
    return [round(k * (count - 1) / (SHOWN - 1)) for k in range(SHOWN)]


def _line(solution: th.Solution) -> list[str]:
    lower, upper = solution.screened
    return [
        f"{solution.C:.4g}",
        f"{solution.primal:.6g}",
        f"{solution.gap:.0e}",
        f"{lower:.1%}",
        f"{upper:.1%}",
        f"{1e3 * solution.seconds['total']:.2g}",
        str(solution.status),
    ]


def facts_of(path: th.Path, data: Data, scaling: Scaling) -> dict[str, Any]:
    """Return the path for machines; coefficients are those for the columns as they are in the file."""
    points = []
    for solution in path:
        coef, intercept = scaling.restored(solution.coef, solution.intercept)
        points.append(
            {**solution.record(), "gap_bound": solution.gap_bound, "intercept": intercept, "coef": coef}
        )
    return {
        "rows": data.rows,
        "loss": path.problem.loss,
        "tol": path.tol,
        "columns": data.names,
        "converged": all(status.met for status in path.status),
        "points": points,
    }


def _write(place: Path, path: th.Path, data: Data, scaling: Scaling) -> None:
    """Write the path in the format that the name ends in."""
    if place.suffix == ".npz":
        path.save(place)
        return
    facts = facts_of(path, data, scaling)
    if place.suffix == ".json":
        place.write_text(output.as_json(facts) + "\n")
        return
    scalars = [name for name in facts["points"][0] if name != "coef"]
    records = [[point[name] for name in scalars] + point["coef"].tolist() for point in facts["points"]]
    output.write_csv(place, [*scalars, *data.names], records)


def _code(path: th.Path) -> int:
    missed = [solution for solution in path if not solution.status.met]
    if not missed:
        return DONE
    worst = max(missed, key=lambda solution: solution.gap_bound)
    warn(
        f"{len(missed)} of {len(path)} values of C did not reach --tol {path.tol:g}; the worst is "
        f"C={worst.C:g} with gap {worst.gap_bound:.1e}. {worst.status.advice}"
    )
    return NOT_CONVERGED
