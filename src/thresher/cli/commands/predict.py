"""``thresher predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray

from thresher.cli import options, output, training
from thresher.cli.data import Data, Source, rows_like
from thresher.cli.errors import DONE, data_errors
from thresher.cli.models import Model
from thresher.cli.tables import FORMATS


@click.command("predict")
@click.argument("saved", metavar="MODEL", type=options.FILE)
@click.argument("file", type=options.FILE)
@click.option("--target", "-t", metavar="COLUMN", help="Column to compare with; else the model's, if there.")
@click.option("--format", "kind", type=click.Choice(sorted(FORMATS)), help="Format, if the name hides it.")
@click.option("--scores", is_flag=True, help="Write the scores of the classes, too.")
@options.output_option
@options.json_option
def command(
    saved: Path,
    file: Path,
    target: str | None,
    kind: str | None,
    scores: bool,
    place: Path | None,
    for_machines: bool,
) -> int:
    """Predict the rows of FILE with a MODEL that fit or cv saved.

    Without --output, predictions are printed, one a line.
    """
    output.check_place(place, [".csv"])
    model = Model.load(saved)
    data = rows_like(Source(file, target, kind=kind), model.features, model.target)
    columns = _columns(model, data, scores)
    records = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    quality = _quality(model, data)
    if for_machines:
        output.say_json({"command": "predict", "rows": data.rows, **columns, **quality})
    elif place is None:
        output.say("\n".join(",".join(map(str, record)) for record in records))
    if place is not None:
        output.save(place, lambda made: output.write_csv(made, list(columns), records))
        if not for_machines:
            output.say(f"{data.rows} predictions: {place}")
    for name, score in {} if for_machines else quality.items():
        click.echo(f"{name} {score:.6g}", err=place is None)
    return DONE


def _columns(model: Model, data: Data, with_scores: bool) -> dict[str, NDArray[Any]]:
    """Return the predictions, and the scores where they are asked for."""
    columns = {"prediction": model.predict(data.X)}
    if with_scores:
        labels = model.classes if model.classes and len(model.classes) > 2 else [""]
        names = [f"score {label}".strip() for label in labels]
        columns.update(zip(names, model.scores(data.X).T, strict=True))
    return columns


def _quality(model: Model, data: Data) -> dict[str, Any]:
    """Return how well the predictions agree with the targets, where the file has them."""
    if data.y is None:
        return {}
    with data_errors("the targets do not go with the model: "):
        return dict([training.score_of(model, data.X, data.y)])
