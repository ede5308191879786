"""The estimators measured, a section at a time; written to docs/_generated/estimators_*.md.

Choosing C against grid searches, scikit-learn's solvers on reduced data, quantile regression by size, many
classes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import fits, machine, search
from benchmarks.records import keep
from benchmarks.report import GENERATED

Section = tuple[Callable[[Callable[[str], None]], Sequence[Any]], str, Callable[[Any], list[str]]]
SECTIONS: dict[str, Section] = {
    "search": (search.measure, search.TEXT, search.table),
    "sharing": (search.sharing, search.SHARING, search.sharing_table),
    "reduced": (fits.reduced, fits.REDUCED_TEXT, fits.reduced_table),
    "quantile": (fits.quantiles, fits.QUANTILE_TEXT, fits.quantile_table),
    "classes": (fits.classes, fits.CLASSES_TEXT, fits.classes_table),
}


def write(name: str, found: Sequence[Any], versions: str) -> str:
    """Write a section's page, and return it."""
    _, text, table = SECTIONS[name]
    lines = [text, *table(found), "", f"Measured {machine.today()} on {machine.describe()}; {versions}.", ""]
    page = "\n".join(lines)
    GENERATED.mkdir(parents=True, exist_ok=True)
    (GENERATED / f"estimators_{name}.md").write_text(page)
    return page


def publish(say: Callable[[str], None]) -> str:
    """Measure section by section, write the pages, and return them."""
    pages = []
    for name, (measure, _, _) in SECTIONS.items():
        found = measure(say)
        keep(f"estimators_{name}", found)
        pages.append(write(name, found, machine.versions()))
    return "\n".join(pages)


if __name__ == "__main__":
    print(publish(lambda line: print(line, file=sys.stderr)))
