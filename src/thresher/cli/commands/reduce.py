"""``thresher reduce``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

import thresher as th
from thresher.cli import options, output
from thresher.cli.data import Data, Source, training_rows
from thresher.cli.errors import DONE, DataError, UseError, data_errors
from thresher.cli.progress import waiting
from thresher.cli.task import Task

# The column of weights that is added.
WEIGHT = "sample_weight"


@click.command("reduce")
@options.reads_rows
@options.chooses_model
@click.option(
    "--C", "C", default="1", show_default=True, callback=options.one_or_interval, help="One C, or LOW:HIGH."
)
@options.output_option
@options.json_option
def command(source: Source, task: Task, C: Any, place: Path | None, for_machines: bool) -> int:
    """Write fewer rows, with weights, that have the same optimum as all rows of FILE.

    The output, .csv or .npz, has a column sample_weight more; any solver that takes weights will do.
    """
    output.check_place(place, [".csv", ".npz"])
    if task.standardise:
        raise UseError(
            "reduce keeps the columns as they are; standardise them before, not with --standardise"
        )
    data = training_rows(source)
    model: dict[str, Any] = {
        "loss": task.loss,
        "intercept": task.intercept,
        "tol": task.tol,
        **task.parameters,
    }
    with waiting("reducing"), data_errors():
        small = th.reduce(data.X, data.targets, C, sample_weight=data.weights, **model)
    facts = {"rows": data.rows, "rows_left": len(small.y), "kept": len(small.kept), "share": small.share}
    if for_machines:
        output.say_json({"command": "reduce", **facts, "C": small.C, "kept_rows": small.kept})
    else:
        low, high = small.C
        span = f"C = {low:g}" if low == high else f"every C in [{low:g}, {high:g}]"
        output.say(
            f"{facts['rows_left']} of {data.rows} rows ({small.share:.2%}) have the optimum of all, "
            f"for {span}: {facts['kept']} as they are, {facts['rows_left'] - facts['kept']} merged"
        )
    if place is not None:
        output.save(place, lambda file: _write(file, data, small))
        if not for_machines:
            output.say(f"written: {place}")
    return DONE


def _write(place: Path, data: Data, small: th.Reduction) -> None:
    if place.suffix == ".npz":
        matrix = {"X": small.X}
        if hasattr(small.X, "tocsr"):
            csr = small.X.tocsr()
            matrix = {
                "data": csr.data,
                "indices": csr.indices,
                "indptr": csr.indptr,
                "shape": np.array(csr.shape),
            }
        with place.open("wb") as stream:
            np.savez_compressed(
                stream, **matrix, y=small.y, sample_weight=small.sample_weight, columns=np.array(data.names)
            )
        return
    if hasattr(small.X, "tocsr"):
        raise DataError("sparse rows go into .npz, not into .csv")
    header = [*data.names, data.target or "target", WEIGHT]
    records = zip(small.X.tolist(), small.y.tolist(), small.sample_weight.tolist(), strict=True)
    output.write_csv(place, header, ([*row, target, weight] for row, target, weight in records))
