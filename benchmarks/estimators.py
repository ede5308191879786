"""The estimators measured; written to docs/_generated/estimators.md.

Choosing C against grid searches, scikit-learn's solvers on reduced data, quantile regression by size, many
classes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import fits, machine, search
from benchmarks.records import keep

PAGE = Path(__file__).resolve().parent.parent / "docs" / "_generated" / "estimators.md"


def publish(say: Callable[[str], None]) -> str:
    """Measure, write the page, and return it."""
    searches = search.measure(say)
    keep("estimators_search", searches)
    lines = [search.TEXT, *search.table(searches), ""]
    lines += [search.SHARING, *search.sharing(say, list(dict.fromkeys(one.set for one in searches))), ""]
    reduced = fits.reduced(say)
    keep("estimators_reduced", reduced)
    lines += [fits.REDUCED_TEXT, *fits.reduced_table(reduced), ""]
    quantiles = fits.quantiles(say)
    keep("estimators_quantile", quantiles)
    lines += [fits.QUANTILE_TEXT, *fits.quantile_table(quantiles), ""]
    classes = fits.classes(say)
    keep("estimators_classes", classes)
    lines += [fits.CLASSES_TEXT, *fits.classes_table(classes), ""]
    lines += [f"Measured {machine.today()} on {machine.describe()}; {machine.versions()}.", ""]
    text = "\n".join(lines)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    return text


if __name__ == "__main__":
    print(publish(lambda line: print(line, file=sys.stderr)))
