"""Turns records into tables: on the screen, in docs/_generated, in README."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.bars import draw
from benchmarks.budgets import Budget
from benchmarks.problems import LARGE, PAPER, PROBLEMS, SPARSE
from benchmarks.records import Record, read

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "docs" / "_generated"
PAGE = GENERATED / "benchmarks.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"

# The sets in README and in the picture; the others are the same data in other units.
HEADLINE = [*PAPER, *SPARSE, *LARGE]

HEADER = ["set", "rival", "seconds", "worst relative suboptimality", "ratio", "remarks"]


def number(value: float) -> str:
    """Return seconds or ratios with two or three significant digits."""
    if math.isnan(value):
        return "–"
    if value >= 99.5:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 9.95 else f"{value:.2g}"


def small(value: float) -> str:
    """Return a relative error; the subtraction it comes from rounds at about 1e-13."""
    if math.isnan(value):
        return "–"
    return "< 1e-12" if value < 1e-12 else f"{value:.0e}"


def at_least(record: Record, value: float) -> str:
    """Return a time or ratio, as a lower bound where the run did not finish."""
    return number(value) if record.complete or math.isnan(value) else f"> {number(value)}"


def cells(record: Record) -> list[str]:
    """Return one line of the table."""
    return [
        record.set,
        f"{record.rival} (default)" if record.default else record.rival,
        at_least(record, record.seconds),
        small(record.suboptimality),
        at_least(record, record.ratio),
        record.note,
    ]


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)


def aligned(header: list[str], rows: list[list[str]]) -> str:
    """Return a table for the screen."""
    widths = [max(len(line[j]) for line in [header, *rows]) for j in range(len(header))]
    lines = [header, *rows]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def screen(records: list[Record]) -> str:
    """Return the table as it is printed."""
    return aligned(HEADER, [cells(record) for record in records])


def measured() -> dict[str, list[Record]]:
    """Return the records of every set that has been measured, in the order of the problems."""
    found = {name: read(name) for name in PROBLEMS}
    return {name: records for name, records in found.items() if records}


def shape(record: Record) -> str:
    """Return what a set is, in a few words."""
    storage = "CSR" if record.set in SPARSE or record.set == "generated_sparse" else "dense"
    return f"{record.rows:,} × {record.columns:,}, {storage}, {record.loss} loss"


def section(name: str, records: list[Record]) -> str:
    """Return the full table of one set."""
    rows = [cells(record)[1:] for record in records]
    first = records[0]
    return (
        f"## {name}\n\n{shape(first)}; best values known within {small(first.uncertainty)} of the optimum; "
        f"time limit {first.limit:g} s.\n\n{markdown(HEADER[1:], rows)}\n"
    )


def circumstances(records: list[Record]) -> str:
    """Return when, where and with what the figures were measured."""
    dates = sorted({record.date for record in records})
    machines = "; ".join(sorted({record.machine for record in records}))
    versions = ", ".join(dict.fromkeys(part for record in records for part in record.versions.split(", ")))
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"Measured {when} on {machines}; one thread each; {versions}."


INTRODUCTION = """\
100 values of C in [1e-2, 10]; seconds for all of them, after a warm-up on a few rows (compilation is timed
under budgets), best of three where a run takes less than 2 s. Every dense set has a constant column, so
that all solve the same model. thresher's tolerance is 1e-9, and 1e-6 on CSR, certified at every C.
Suboptimality is relative to the best value that any rival found, and the proven lower bound says how far
that may be from the optimum. The ratio is the time in units of thresher's default; ">" marks a run that did
not finish.
"""


def page(sets: dict[str, list[Record]], budgets: list[Budget]) -> str:
    """Return the page of measurements."""
    everything = [record for records in sets.values() for record in records]
    parts = [INTRODUCTION]
    if everything:
        parts.append(circumstances(everything) + "\n")
        parts.append("![Seconds by set and rival; dotted where the time was up](benchmarks.png)\n")
    parts += [section(name, records) for name, records in sets.items()]
    rows = [budget.cells() for budget in budgets]
    parts.append(f"## Budgets\n\n{markdown(['what', 'measured', 'budget', 'met', 'remarks'], rows)}\n")
    return "\n".join(parts)


def rival_cell(records: list[Record], rival: str) -> str:
    """Return time, ratio and accuracy of one rival in one cell."""
    found = [record for record in records if record.rival == rival]
    if not found:
        return "not run"
    record = found[0]
    if not record.ran:
        return record.note
    if not record.complete:
        return f"{record.finished} of {record.values} C in {number(record.seconds)} s"
    times = f", {number(record.ratio)}×" if not math.isnan(record.ratio) else ""
    return f"{number(record.seconds)} s{times}, {small(record.suboptimality)}"


def default_cell(records: list[Record]) -> str:
    """Return the time of thresher's default."""
    for record in records:
        if record.default:
            return rival_cell(records, record.rival) if not record.complete else f"{number(record.seconds)} s"
    return "not run"


def readme_block(sets: dict[str, list[Record]]) -> str:
    """Return the short table."""
    rivals = {"ReHLine path, tol 1e-6": "ReHLine 1e-06", "scikit-learn, 100 fits": "scikit-learn"}
    rows = [
        [f"{name} ({records[0].rows:,} × {records[0].columns:,})", default_cell(records)]
        + [rival_cell(records, rival) for rival in rivals.values()]
        for name, records in sets.items()
        if name in HEADLINE
    ]
    everything = [record for name in HEADLINE for record in sets.get(name, [])]
    if not everything:
        return "Not measured yet: run `make bench`."
    table = markdown(["set", "thresher", *rivals], rows)
    return (
        "Time for 100 values of C in [1e-2, 10], one thread; thresher at a proven gap of 1e-9, the four CSR\n"
        "sets (a9a to sector) at 1e-6; for the others also the time in units of thresher's and the worst\n"
        f"relative suboptimality. All figures: [docs/benchmarks.md](docs/benchmarks.md).\n\n{table}\n\n"
        f"{circumstances(everything)}"
    )


def publish(budgets: list[Budget]) -> None:
    """Rewrite the page and README's block from all that has been measured."""
    sets = measured()
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(sets, budgets))
    draw({name: sets[name] for name in HEADLINE if name in sets}, GENERATED / "benchmarks.png")
    text = README.read_text()
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    README.write_text(f"{head}{BEGIN}\n{readme_block(sets)}\n{END}{tail}")
