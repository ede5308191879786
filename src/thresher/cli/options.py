"""Options that commands share, gathered into a `Source` and a `Task`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
import numpy as np

from thresher.cli.data import Floats, Source
from thresher.cli.tables import FORMATS
from thresher.cli.task import INTERCEPTS, LOSSES, Task

Command = Callable[..., Any]
FILE = click.Path(path_type=Path)
INSIDE = click.FloatRange(0.0, 1.0, min_open=True, max_open=True)


Wanted = str | None


def positive(ctx: click.Context, param: click.Parameter, text: Wanted) -> float | None:
    """Return a number larger than zero."""
    try:
        return None if text is None else _positive(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a positive number") from None


def values_of_C(ctx: click.Context, param: click.Parameter, text: Wanted) -> int | Floats | None:
    """Return how many values of C; or some, as 0.1,1,10; or low:high:how many, in equal ratios."""
    try:
        return None if text is None else _grid(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither a number of values, nor C,C,…, nor LOW:HIGH:N in equal ratios"
        ) from None


def one_or_interval(ctx: click.Context, param: click.Parameter, text: str) -> float | tuple[float, float]:
    """Return one C, or two in ascending order."""
    try:
        low, *high = [_positive(part) for part in text.split(":")]
        if len(high) > 1 or min(high, default=low) < low:
            raise ValueError(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not one positive C, or LOW:HIGH with LOW ≤ HIGH") from None
    return (low, high[0]) if high else low


def _grid(text: str) -> int | Floats:
    if ":" in text:
        low, high, count = text.split(":")
        values = np.geomspace(_positive(low), _positive(high), _count(count))
    elif "," in text or "." in text or "e" in text.lower():
        values = np.array([_positive(part) for part in text.rstrip(",").split(",")])
    else:
        return _count(text)
    return values


def _positive(text: str) -> float:
    value = float(text)
    if not 0.0 < value < np.inf:
        raise ValueError(text)
    return value


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ValueError(text)
    return count


def reads_rows(command: Command) -> Command:
    """Give the command ``source``: the file of rows and what its columns are."""

    @click.argument("file", type=FILE)
    @click.option("--target", "-t", metavar="COLUMN", help="Column to predict, by name or number.")
    @click.option("--weights", "-w", metavar="COLUMN", help="Column of sample weights.")
    @click.option("--drop", metavar="COLUMN", multiple=True, help="Column to leave out; may be repeated.")
    @click.option(
        "--format", "kind", type=click.Choice(sorted(FORMATS)), help="Format, if the name hides it."
    )
    @wraps(command)
    def gathered(*args: Any, file: Path, target: Any, weights: Any, drop: Any, kind: Any, **rest: Any) -> Any:
        return command(*args, source=Source(file, target, weights, drop, kind), **rest)

    return gathered


def chooses_model(command: Command) -> Command:
    """Give the command ``task``: loss, intercept, scale, tolerance."""

    @click.option("--loss", "-l", type=click.Choice(LOSSES), default="hinge", show_default=True)
    @click.option("--quantile", type=INSIDE, help="Quantile of --loss pinball  [default: 0.5]")
    @click.option(
        "--epsilon",
        type=click.FloatRange(min=0.0),
        help="Half width of the tube of --loss insensitive  [default: 0.1]",
    )
    @click.option(
        "--intercept",
        type=click.Choice(INTERCEPTS),
        default="free",
        show_default=True,
        help="free (as LIBSVM), penalised (as LIBLINEAR) or none.",
    )
    @click.option("--standardise", is_flag=True, help="Bring columns to mean 0 and deviation 1 first.")
    @click.option("--tol", type=INSIDE, default=1e-6, show_default=True, help="Bound on the relative gap.")
    @wraps(command)
    def gathered(
        *args: Any,
        loss: str,
        quantile: float | None,
        epsilon: float | None,
        intercept: str,
        standardise: bool,
        tol: float,
        **rest: Any,
    ) -> Any:
        task = Task(loss, quantile, epsilon, intercept, standardise, tol)
        return command(*args, task=task, **rest)

    return gathered


json_option = click.option("--json", "for_machines", is_flag=True, help="Print one JSON object.")
output_option = click.option("--output", "-o", "place", type=FILE, metavar="FILE", help="Where to write.")
jobs_option = click.option("--jobs", "-j", type=int, metavar="N", help="Threads; -1 for all processors.")
report_option = click.option(
    "--report", type=FILE, metavar="FILE.html", help="Write a page to explore the path."
)
one_regularisation = click.option(
    "--C", "C", default="1", show_default=True, callback=positive, help="Weight of the sum of losses."
)


def many_C(default: str | None) -> Callable[[Command], Command]:
    """Return the option ``--Cs``."""
    return click.option(
        "--Cs",
        "Cs",
        callback=values_of_C,
        default=default,
        show_default=True,
        help="Values of C: how many; or 0.1,1,10; or LOW:HIGH:N in equal ratios.",
    )
