"""How cost grows with rows, columns and the number of values of C; written to docs/_generated/growth.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.budgets import watched
from benchmarks.children import ask
from benchmarks.problems import Data
from benchmarks.records import keep
from benchmarks.report import GENERATED, markdown, number
from benchmarks.rivals import RIVALS
from benchmarks.worker import C_RANGE
from thresher import datasets

# What grows, from where to where; the others stay at these.
ROWS, COLUMNS, COUNT = 20_000, 20, 100
CURVES: dict[str, tuple[int, ...]] = {
    "rows": (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    "columns": (2, 20, 200, 2_000),
    "values of C": (10, 100, 1_000, 10_000),
}
TOL, LIMIT = 1e-9, 120.0
# Between the means of the classes, in units of their deviation.
DISTANCE = 2.0
# Rows from which the samples are float32, so that they fit beside what else runs.
SINGLE_FROM = 10_000_000
# The rivals, and the limit on a point of theirs; the next point of a curve is not tried after it.
OTHERS, OTHERS_LIMIT = ("ReHLine 1e-06", "scikit-learn"), 60.0

TEXT = f"""\
## How cost grows

Two overlapping classes, generated ({ROWS:,} rows, {COLUMNS} columns, {COUNT} values of C in [1e-2, 10]
where not said otherwise), thresher at a relative gap of {TOL:g}; rivals have {OTHERS_LIMIT:g} s a point.
The {SINGLE_FROM:,} rows are float32. Memory is the highest resident size during the path besides what was
there before, in units of X.

![Time against rows, columns and number of values of C](growth.png)
"""


@dataclass(frozen=True)
class Point:
    """One point of a curve; seconds are NaN where the time was up, memory is in units of X."""

    grows: str
    value: int
    who: str
    seconds: float
    memory: float
    gap: float


def generated(rows: int, columns: int) -> Data:
    """Return two classes that overlap as much in any number of columns, the last of them constant."""
    dtype = np.float32 if rows >= SINGLE_FROM else np.float64
    found = datasets.classification(rows, columns, distance=DISTANCE, dtype=dtype)
    found.X[:, -1] = 1.0
    return Data("generated", found.X, found.y, found.loss, TOL)


def solve(who: str, rows: int, columns: int, count: int) -> dict[str, Any]:
    """Solve for all values of C after a warm-up on a few rows."""
    data, C = generated(rows, columns), np.geomspace(*C_RANGE, count)
    few = data.slice()
    if who != "thresher":
        rival = RIVALS[who]
        rival.solve(few, C[:1], lambda *point: None)
        begin = perf_counter()
        rival.solve(data, C, lambda *point: None)
        return {"seconds": perf_counter() - begin, "memory": float("nan"), "gap": float("nan")}
    import thresher

    thresher.svm_path(few.X, few.y, C[:3])
    path, seconds, extra = watched(lambda: thresher.svm_path(data.X, data.y, C, tol=TOL))
    return {"seconds": seconds, "memory": extra / data.X.nbytes, "gap": float(path.gap_bound.max())}


def curve(grows: str, who: str, say: Callable[[str], None]) -> list[Point]:
    """Measure one curve up to where the time is up."""
    found = []
    for value in CURVES[grows]:
        sizes = {"rows": ROWS, "columns": COLUMNS, "count": COUNT}
        sizes["count" if grows == "values of C" else grows] = value
        limit = LIMIT if who == "thresher" else OTHERS_LIMIT
        one = ask("growth:solve", limit + 30.0, who=who, **sizes)
        missing = {"seconds": float("nan"), "memory": float("nan"), "gap": float("nan")}
        found.append(Point(grows, value, who, **(one or missing)))
        say(f"  {value:,} {grows}: {who} {found[-1].seconds:.3g} s")
        if one is None or one["seconds"] > limit:
            break
    return found


def picture(points: list[Point], file: Path) -> None:
    """Draw a panel for each curve."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.4), layout="constrained")
    for axes, grows in zip(figure.subplots(1, len(CURVES)), CURVES, strict=True):
        for who in dict.fromkeys(point.who for point in points):
            own = [point for point in points if (point.grows, point.who) == (grows, who)]
            axes.loglog([p.value for p in own], [p.seconds for p in own], marker="o", label=who)
        axes.set_xlabel(grows)
        axes.grid(visible=True, which="major", alpha=0.3)
    figure.axes[0].set_ylabel("seconds")
    figure.axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(file, dpi=150)


def publish(say: Callable[[str], None]) -> str:
    """Measure, write the page and its picture, and return the page."""
    points = [p for grows in CURVES for who in ("thresher", *OTHERS) for p in curve(grows, who, say)]
    keep("growth", points)
    GENERATED.mkdir(parents=True, exist_ok=True)
    picture(points, GENERATED / "growth.png")
    rows = [
        [
            f"{point.value:,} {point.grows}",
            point.who,
            number(point.seconds) if np.isfinite(point.seconds) else "ran out of time",
            number(point.memory),
            "–" if np.isnan(point.gap) else f"{point.gap:.0e}",
        ]
        for point in points
    ]
    table = markdown(["what", "who", "seconds", "extra memory, X", "worst gap"], rows)
    circumstances = (
        f"Measured {machine.today()} on {machine.describe()}; one thread each; {machine.versions()}."
    )
    text = f"{TEXT}\n{table}\n\n{circumstances}\n"
    (GENERATED / "growth.md").write_text(text)
    return text
