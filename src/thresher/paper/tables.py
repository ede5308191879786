"""Tables: the paper's figures beside those measured here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from thresher.paper.published import PUBLISHED, SVM_RULES, Published, PublishedRun
from thresher.paper.records import Report, Result, Trial

RULE_NAMES: Final = {"none": "none", "ssnsv": "SSNSV", "essnsv": "ESSNSV", "dvi": "DVI"}
SOLVER_NAMES: Final = {"descent": "descent, shrinking and warm", "newton": "newton"}
# A rate may differ from the paper's by this much before the page has to say why.
RATE_TOLERANCE: Final = 0.1
NOTHING: Final = "–"


@dataclass(frozen=True)
class Table:
    """A caption, a header, rows of cells."""

    caption: str
    header: list[str]
    rows: list[list[str]]


def seconds(value: float) -> str:
    """Return a time with three significant digits."""
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}" if value >= 1e-3 else f"{value:.6f}"


def as_published(value: float) -> str:
    """Return one of the paper's figures, all of which have two decimals."""
    return f"{value:,.2f}"


def factor(value: float) -> str:
    """Return a ratio with about three significant digits."""
    if math.isinf(value):
        return "∞"
    return f"{value:,.{0 if value >= 100.0 else 1 if value >= 10.0 else 2}f}"


def share(value: float) -> str:
    """Return a share with three decimals."""
    return f"{value:.3f}"


def title(result: Result) -> str:
    """Return the paper's name of a set."""
    return PUBLISHED[result.name].title if result.name in PUBLISHED else result.name


def rates(report: Report) -> Table:
    """Mean rejection rates of all sets and rules."""
    header = ["set", "rows × columns", "preparation", "paper, DVI", "DVI", "of it LOWER", "ESSNSV", "SSNSV"]
    header.append(f"within {RATE_TOLERANCE:g}")
    rows = []
    for result in report.results:
        published, found = PUBLISHED[result.name], {one.rule: one for one in result.rejections}
        means = [share(found[rule].mean) if rule in found else NOTHING for rule in ("essnsv", "ssnsv")]
        dvi = found["dvi"]
        lower = sum(dvi.lower) / len(dvi.lower)
        shape = f"{result.rows:,} × {result.columns}"
        near = NOTHING if published.share is None else "yes" if is_near(result) else "no"
        rates_of = [share(dvi.mean), share(lower), *means]
        rows.append([title(result), shape, result.preparation, published.words, *rates_of, near])
    return Table("Mean rejection rate over all C, from exact solutions at the C before", header, rows)


def is_near(result: Result) -> bool:
    """Say whether the mean rate of DVI is near the one the paper's text names."""
    theirs = PUBLISHED[result.name].share
    return theirs is not None and abs(theirs - result.rejection_of("dvi").mean) <= RATE_TOLERANCE


def run_times(report: Report, names: tuple[str, ...], caption: str) -> Table:
    """Return the paper's columns, a row of its figures over a row of ours for each set and rule."""
    header = ["set", "rule", "", "Solver, s", "Solver + rule, s", "rule, s", "Init., s", "speed-up"]
    header += ["within gap: without, with", "mean rate"]
    rows = []
    for result in (result for result in report.results if result.name in names):
        published = PUBLISHED[result.name]
        for run in published.runs:
            name = title(result) if run is published.runs[0] else ""
            rows += [[name, *_theirs(published, run)], _ours(report, result, run.rule)]
    return Table(caption, header, rows)


def _theirs(published: Published, run: PublishedRun) -> list[str]:
    figures = (published.solver, run.total, run.screening, run.init, run.speedup)
    return [RULE_NAMES[run.rule], "paper", *map(as_published, figures), NOTHING, NOTHING]


def _ours(report: Report, result: Result, rule: str) -> list[str]:
    bare, trial = result.trial_of("none"), result.trial_of(rule)
    times = [seconds(value) for value in (bare.total, trial.total, trial.screening, trial.init)]
    within = ", ".join(str(sum(one.within(report.settings.gap))) for one in (bare, trial))
    return ["", "", "here", *times, factor(result.speedup_of(rule)), within, share(trial.mean_share)]


def implied_rates(report: Report) -> Table:
    """The mean rate that each of the paper's speed-ups amounts to, and the speed-up that ours amounts to."""
    header = [
        "set",
        "rule",
        "paper's speed-up",
        "rate it amounts to",
        "mean rate here",
        "speed-up it amounts to",
    ]
    rows = []
    for result, run in ((one, run) for one in report.results for run in PUBLISHED[one.name].runs):
        rate = result.rejection_of(run.rule).mean
        ours = factor(1.0 / (1.0 - rate) if rate < 1.0 else math.inf)
        theirs = [as_published(run.speedup), share(run.rate)]
        rows.append([title(result), RULE_NAMES[run.rule], *theirs, share(rate), ours])
    return Table("Speed-ups as rates, and rates as speed-ups: s = 1 / (1 − r)", header, rows)


def accounts(report: Report) -> Table:
    """What the speed-up of DVI is made of, for each set."""
    header = [
        "set",
        "paper's speed-up",
        "in time",
        "same gap: in time, over C",
        "in row visits",
        "in those of the solver",
    ]
    header += ["passes a C: without, with", "rows left, weighted by passes", "µs a row and C: paper, here"]
    rows = []
    for result in report.results:
        published, bare, trial = PUBLISHED[result.name], result.trial_of("none"), result.trial_of("dvi")
        count = len(result.C)
        same, both = result.same_gap_speedup_of("dvi", report.settings.gap)
        ours = 1e6 * bare.total / (count * result.rows)
        rows.append(
            [
                title(result),
                as_published(published.run_of("dvi").speedup),
                factor(result.speedup_of("dvi")),
                f"{factor(same)}, {both}" if both else "none",
                factor(result.visits_saved_by("dvi")),
                factor(result.solver_visits_saved_by("dvi")),
                f"{_count(sum(bare.passes) / count)}, {_count(sum(trial.passes) / count)}",
                share(result.left_where_work_is("dvi")),
                f"{seconds(published.microseconds)}, {seconds(ours)}",
            ]
        )
    return Table("What the speed-up of DVI is made of", header, rows)


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 10.0 else f"{value:.1f}"


def as_printed(report: Report) -> Table:
    """The rule as printed beside the safe one, at the loose gap."""
    header = ["set", "Solver, s", "safe: speed-up", "safe: mean rate", "safe: wrong rows"]
    header += ["printed: speed-up", "printed: mean rate", "printed: wrong rows", "printed: C within gap"]
    rows = []
    for result in report.results:
        bare, safe, printed = result.as_printed
        rows.append(
            [
                title(result),
                seconds(bare.total),
                *_printed_cells(bare, safe),
                *_printed_cells(bare, printed),
                str(sum(printed.within(report.settings.loose_gap))),
            ]
        )
    return Table(f"DVI as printed, at a gap of {report.settings.loose_gap:g}", header, rows)


def _printed_cells(bare: Trial, trial: Trial) -> list[str]:
    return [factor(bare.total / trial.total), share(trial.mean_share), f"{trial.checked.wrong:,}"]


def modern(report: Report) -> Table:
    """Modern solvers with and without DVI, beside the paper's solver."""
    header = ["set", "solver", "without rule, s", "with DVI, s", "speed-up", "within gap: without, with"]
    header.append("C in closed form")
    rows = []
    for result in report.results:
        name = title(result)
        for solver in dict.fromkeys(found.solver for found in result.baselines):
            bare, dvi = (found for found in result.baselines if found.solver == solver)
            times = [seconds(bare.seconds), seconds(dvi.seconds), factor(bare.seconds / dvi.seconds)]
            met = f"{bare.met}, {dvi.met}"
            rows.append([name, SOLVER_NAMES[solver], *times, met, str(dvi.closed)])
            name = ""
    return Table("Modern solvers, the package's own path", header, rows)


def scaling(report: Report) -> Table:
    """What preparation does to the rate of DVI."""
    real = [result for result in report.results if result.scalings]
    ways = list(dict.fromkeys((one.columns, one.targets) for result in real for one in result.scalings))
    header = ["columns", "targets", *(title(result) for result in real)]
    found = {(result.name, one.columns, one.targets): one for result in real for one in result.scalings}

    def cell(result: Result, way: tuple[str, str]) -> str:
        one = found.get((result.name, *way))
        if one is None:
            return NOTHING
        return share(one.share) + (f" ({one.closed} closed)" if one.closed else "")

    rows = [[*way, *(cell(result, way) for result in real)] for way in ways]
    says = ["paper", "", *(PUBLISHED[result.name].words for result in real)]
    return Table("Mean rate of DVI by preparation", header, [says, *rows])


def checks(report: Report) -> Table:
    """How many discarded rows were looked up in the unscreened solutions, and how many were wrong."""
    header = ["set", *(f"{RULE_NAMES[rule]}: discarded, wrong" for rule in SVM_RULES)]
    header += ["wrong in all", "worst gap of the unscreened solutions"]
    rows = []
    for result in report.results:
        cells = [_checked(result, rule) for rule in SVM_RULES]
        rows.append([title(result), *cells, f"{result.checked.wrong:,}", f"{result.reference_gap:.0e}"])
    return Table("Rows discarded, over all C and runs, and support vectors among them", header, rows)


def _checked(result: Result, rule: str) -> str:
    found = [one.checked for one in [*result.rejections] if one.rule == rule]
    found += [one.checked for one in [*result.trials, *result.as_printed] if one.rule == rule]
    if not found:
        return NOTHING
    return f"{sum(one.discarded for one in found):,}, {sum(one.wrong for one in found):,}"


def markdown(table: Table) -> str:
    """Return a Markdown table."""
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)


def aligned(table: Table) -> str:
    """Return a table for the screen."""
    lines = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join([table.caption, *padded])
