"""``thresher explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

import thresher as th
from thresher.cli import options, output
from thresher.cli.data import Data, Floats, Source, training_rows
from thresher.cli.errors import DONE, UseError, data_errors
from thresher.cli.lifetimes import NAMES, Spans, spans_of
from thresher.cli.progress import path_progress
from thresher.cli.task import Task, grid_of
from thresher.report import fate_counts

MEANING = {
    "hinge": {
        "LOWER": "beyond the margin: no loss, the model would be the same without the row",
        "KINK": "on the margin: these rows shape the model",
        "UPPER": "inside the margin or on the wrong side: the row pulls with its full weight",
    },
    "insensitive": {
        "LOWER": "within the tube: no loss, the model would be the same without the row",
        "KINK": "on the edge of the tube: these rows shape the model",
        "UPPER": "outside the tube: the row pulls with its full weight",
    },
}
REGRESSION = {
    "LOWER": "the prediction is above the target: the row pulls down with its full weight",
    "KINK": "the prediction meets the target: these rows shape the model",
    "UPPER": "the prediction is below the target: the row pulls up with its full weight",
}
# Values of C, and rows, that people see.
SHOWN = 12
HEADER = ["row", "side", "fate", "since", "until", "first_C", "last_C"]


@click.command("explain")
@options.reads_rows
@options.chooses_model
@click.option("--C", "C", callback=options.positive, help="Explain this C alone  [default: 1]")
@options.many_C(None)
@click.option(
    "--row", "rows", type=click.IntRange(min=0), multiple=True, help="Row, from 0; may be repeated."
)
@options.output_option
@options.json_option
def command(
    source: Source,
    task: Task,
    C: float | None,
    Cs: int | Floats | None,
    rows: tuple[int, ...],
    place: Path | None,
    for_machines: bool,
) -> int:
    """Say which rows of FILE are LOWER, KINK or UPPER, from which C to which, and by what certificate.

    The output, .csv, has a line for every row and span of C.
    """
    if C is not None and Cs is not None:
        raise UseError("--C and --Cs exclude each other")
    output.check_place(place, [".csv"])
    data = training_rows(source)
    for row in rows:
        if row >= data.rows:
            raise UseError(f"there is no row {row}; {source.file} has rows 0 to {data.rows - 1}")
    path = _solved(task, data, np.array([1.0 if C is None else C]) if Cs is None else Cs)
    spans = spans_of(path)
    if for_machines:
        output.say_json({"command": "explain", **_facts(path, spans, rows)})
    elif rows:
        for row in rows:
            _say_row(path, spans, row, data)
    else:
        _say_all(path, spans)
    if place is not None:
        output.save(place, lambda file: output.write_csv(file, HEADER, _records(path, spans)))
        if not for_machines:
            output.say(f"written: {place}")
    return DONE


def _solved(task: Task, data: Data, wanted: int | Floats) -> th.Path:
    problem, _ = task.problem_of(data)
    grid = grid_of(problem, wanted)
    with data_errors(), path_progress(len(grid)) as callback:
        return th.solve_path(problem, grid, tol=task.tol, callback=callback)


def _records(path: th.Path, spans: Spans) -> list[tuple[Any, ...]]:
    """Return a line for every span; a sample of two rows (insensitive) has one side above, one below."""
    samples = path.problem.samples
    sides = np.array(["", ""] if path.problem.size == samples else ["above", "below"])
    columns = [
        spans.rows % samples,
        sides[spans.rows // samples],
        np.array([NAMES[fate] for fate in spans.fates.tolist()]),
        *spans[2:],
    ]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _chosen(path: th.Path, spans: Spans, rows: tuple[int, ...]) -> Spans:
    return spans.take(np.isin(spans.rows % path.problem.samples, rows)) if rows else spans


def _facts(path: th.Path, spans: Spans, rows: tuple[int, ...]) -> dict[str, Any]:
    records = _records(path, _chosen(path, spans, rows))
    return {
        "rows": path.problem.samples,
        "loss": path.problem.loss,
        "solutions": [
            {"C": s.C, "gap_bound": s.gap_bound, "radius": s.certificate.ball(s.C).radius, **fate_counts(s)}
            for s in path
        ],
        "spans": {name: list(column) for name, column in zip(HEADER, zip(*records, strict=True), strict=True)}
        if records
        else {name: [] for name in HEADER},
    }


def _say_all(path: th.Path, spans: Spans) -> None:
    """Print how many rows have which fate, and how long they keep it."""
    meaning = MEANING.get(path.problem.loss, REGRESSION)
    shown = np.unique(np.linspace(0, len(path) - 1, min(SHOWN, len(path))).astype(int))
    lines = []
    for solution in (path[k] for k in shown):
        counts = fate_counts(solution)
        certificate = solution.certificate
        proof = [f"{solution.gap_bound:.0e}", f"{certificate.ball(solution.C).radius:.1e}"]
        lines.append([f"{solution.C:.4g}", *(str(count) for count in counts.values()), *proof])
    output.say_table(
        f"{path.problem.size} rows of {path.problem.loss}; LOWER and UPPER are proven",
        ["C", "LOWER", "KINK", "UPPER", "undecided", "gap", "ball radius"],
        lines,
    )
    for name in NAMES.values():
        output.say(f"{name:<6} {meaning[name]}")
    proven = spans.take(spans.fates != 0)
    if proven.rows.size:
        low, high = np.median(proven.since), np.median(proven.until)
        output.say(f"Half of the proofs hold from C = {low:.4g} or less, half to C = {high:.4g} or more.")
    output.say(
        "Certificate: the optimum lies in a ball around the solution; a row is proven for every C for which "
        "the ball, carried there, lies on one side of the row's kink (docs: [CARRY], [LIFE])."
    )


def _say_row(path: th.Path, spans: Spans, row: int, data: Data) -> None:
    """Print the life of one row."""
    meaning = MEANING.get(path.problem.loss, REGRESSION)
    own = _chosen(path, spans, (row,))
    lines = []
    for _, side, fate, since, until, first, last in _records(path, own):
        solutions = f"C = {first:.4g}" if first == last else f"C = {first:.4g} … {last:.4g}"
        by = f"certificates at {solutions}" if fate != "KINK" else f"seen at {solutions}; not a proof"
        lines.append([f"{side} {fate}".strip(), f"{since:.4g}", f"{until:.4g}", by])
    title = f"row {row}, {data.target or 'target'} = {data.targets[row]}"
    if not lines:
        output.say(f"{title}: undecided at every C solved; a smaller --tol proves more")
        return
    output.say_table(title, ["fate", "from C", "to C", "by"], lines)
    for name in dict.fromkeys(NAMES[fate] for fate in own.fates.tolist()):
        output.say(f"{name:<6} {meaning[name]}")
