"""The estimators measured; written to docs/_generated/estimators.md.

Choosing C against grid searches, scikit-learn's solvers on reduced data, quantile regression by size, many
classes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from benchmarks import fits, machine, search
from benchmarks.records import RESULTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "_generated" / "estimators.md"


def keep(name: str, found: Sequence[Any]) -> None:
    """Write what was measured to ``results``."""
    if not found:
        return
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"estimators_{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*(field.name for field in fields(found[0])), "date", "machine", "versions"])
        circumstances = (machine.today(), machine.describe(), machine.versions())
        writer.writerows([*astuple(one), *circumstances] for one in found)


def publish(say: Callable[[str], None]) -> str:
    """Measure, write the page, and return it."""
    searches = search.measure(say)
    keep("search", searches)
    lines = [search.TEXT, *search.table(searches), ""]
    lines += [search.SHARING, *search.sharing(say, list(dict.fromkeys(one.set for one in searches))), ""]
    reduced = fits.reduced(say)
    keep("reduced", reduced)
    lines += [fits.REDUCED_TEXT, *fits.reduced_table(reduced), ""]
    quantiles = fits.quantiles(say)
    keep("quantile", quantiles)
    lines += [fits.QUANTILE_TEXT, *fits.quantile_table(quantiles), ""]
    classes = fits.classes(say)
    keep("classes", classes)
    lines += [fits.CLASSES_TEXT, *fits.classes_table(classes), ""]
    lines += [f"Measured {machine.today()} on {machine.describe()}; {machine.versions()}.", ""]
    text = "\n".join(lines)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    return text


if __name__ == "__main__":
    print(publish(lambda line: print(line, file=sys.stderr)))
