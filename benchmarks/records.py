"""One line of the results, and the CSV files that keep them."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks import machine

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True)
class Record:
    """What one rival did on one set.

    ``suboptimality`` is relative to the best values known, which are within ``uncertainty`` of the
    optimum; ``ratio`` is the time in units of thresher's default.
    """

    set: str
    rows: int
    columns: int
    loss: str
    rival: str
    default: bool
    values: int
    finished: int
    seconds: float
    warm_up: float
    suboptimality: float
    uncertainty: float
    ratio: float
    note: str
    limit: float
    date: str
    machine: str
    versions: str

    @property
    def complete(self) -> bool:
        """Whether there is a point at every C."""
        return self.finished == self.values

    @property
    def ran(self) -> bool:
        """Whether there was a run at all."""
        return not math.isnan(self.seconds)


_PARSE = {"str": str, "int": int, "float": float, "bool": lambda text: text == "True"}


def write(records: list[Record], name: str) -> None:
    """Write the records of one set to ``results/<name>.csv``."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Record)], lineterminator="\n")
        writer.writeheader()
        for record in records:
            row = asdict(record)
            rounded = {key: f"{value:.6g}" for key, value in row.items() if isinstance(value, float)}
            writer.writerow({**row, **rounded})


def keep(name: str, found: Sequence[Any]) -> None:
    """Write dataclasses of one kind to ``results/<name>.csv``, with when and where they were measured."""
    if not found:
        return
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*(field.name for field in fields(found[0])), "date", "machine", "versions"])
        circumstances = (machine.today(), machine.describe(), machine.versions())
        writer.writerows([*astuple(one), *circumstances] for one in found)


def read(name: str) -> list[Record]:
    """Read the records of one set back, none where it was never measured."""
    file = RESULTS / f"{name}.csv"
    if not file.is_file():
        return []
    types = {field.name: _PARSE[str(field.type)] for field in fields(Record)}
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [Record(**{key: types[key](value) for key, value in row.items()}) for row in rows]
