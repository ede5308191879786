"""``thresher fit``."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli import options, output, training
from thresher.cli.data import Source, training_rows
from thresher.cli.progress import waiting
from thresher.cli.task import Task


@click.command("fit")
@options.reads_rows
@options.chooses_model
@options.one_regularisation
@options.output_option
@options.json_option
def command(source: Source, task: Task, C: float, place: Path | None, for_machines: bool) -> int:
    """Fit a model to the rows of FILE and save it as JSON.

    More than two classes are set one by one against the rest.
    """
    output.check_place(place, [".json"])
    data = training_rows(source)
    with waiting("fitting"):
        model = training.fitted(data, task, C)
    facts = training.summary(model, data)
    if for_machines:
        coefficients = {"coef": model.coef, "intercepts": model.intercept, "columns": model.features}
        output.say_json({"command": "fit", **facts, **coefficients})
    else:
        training.say_summary(facts)
    if place is not None:
        output.save(place, model.save)
        if not for_machines:
            output.say(f"model: {place}")
    return training.code_of(model)
