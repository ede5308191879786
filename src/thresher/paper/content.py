"""What the page says, section by section, for whatever renders it."""

from __future__ import annotations

from dataclasses import dataclass, field

from thresher.paper import tables, verdicts
from thresher.paper.prose import said
from thresher.paper.published import LAD, SVM, TOYS
from thresher.paper.records import Report
from thresher.paper.tables import Table

TITLE = "The paper, reproduced"


@dataclass(frozen=True)
class Section:
    """Paragraphs, then points, a figure by its name with a caption, tables, and what follows them."""

    name: str
    title: str
    paragraphs: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    figure: str = ""
    caption: str = ""
    tables: list[Table] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def sections(report: Report) -> list[Section]:
    """Return the page."""
    return [
        _summary(report),
        _safety(report),
        _toys(report),
        _svm(report),
        _lad(report),
        _why(report),
        _printed(report),
        _modern(report),
        _preparation(report),
        _circumstances(report),
    ]


def _summary(report: Report) -> Section:
    paragraphs = [said("introduction", s=report.settings)]
    if report.is_quick:
        paragraphs.append(said("quick", s=report.settings))
    if report.skipped:
        sets = "; ".join(f"{name} ({reason})" for name, reason in report.skipped.items())
        paragraphs.append(said("skipped", sets=sets))
    return Section(
        "summary",
        "Summary",
        paragraphs,
        verdicts.summary(report),
        tables=[tables.rates(report)],
        after=[said("rates_note")],
    )


def _safety(report: Report) -> Section:
    return Section(
        "safety",
        "No support vector is discarded",
        [said("safety", s=report.settings), verdicts.safety(report)],
        tables=[tables.checks(report)],
    )


def _toys(report: Report) -> Section:
    return Section(
        "toys",
        "Synthetic sets: Figure 1 and Table 1",
        [said("protocol", s=report.settings, fewer=verdicts.fewer_passes(report))],
        figure="toys",
        caption=said("toys_caption"),
        tables=[tables.run_times(report, TOYS, "Table 1: toys, seconds for all C")],
        after=[said("columns_note")],
    )


def _svm(report: Report) -> Section:
    return Section(
        "svm",
        "SVM on real sets: Figure 2 and Table 2",
        figure="svm",
        caption=said("svm_caption"),
        tables=[tables.run_times(report, SVM, "Table 2: SVM, seconds for all C")],
        after=[said("svm_note")],
    )


def _lad(report: Report) -> Section:
    return Section(
        "lad",
        "Least absolute deviations: Figure 3 and Table 3",
        [said("lad")],
        verdicts.trivial_models(report),
        figure="lad",
        caption=said("lad_caption"),
        tables=[tables.run_times(report, LAD, "Table 3: LAD, seconds for all C")],
    )


def _why(report: Report) -> Section:
    return Section(
        "why",
        "What differs, and why",
        verdicts.solver_of_the_paper(report),
        verdicts.reasons(report),
        figure="speedups",
        caption=said("speedups_caption"),
        tables=[tables.implied_rates(report), tables.accounts(report)],
        after=[said("accounts_note")],
    )


def _printed(report: Report) -> Section:
    return Section(
        "printed",
        "The rule as printed",
        [said("printed", s=report.settings), verdicts.printed_finding(report)],
        tables=[tables.as_printed(report)],
        after=[said("printed_note")],
    )


def _modern(report: Report) -> Section:
    return Section("modern", "Against modern solvers", [said("modern")], tables=[tables.modern(report)])


def _preparation(report: Report) -> Section:
    return Section(
        "preparation",
        "Preparation",
        [said("preparation")],
        tables=[tables.scaling(report)],
        after=[said("preparation_note")],
    )


def _circumstances(report: Report) -> Section:
    told = said("circumstances", s=report.settings, minutes=report.seconds / 60.0)
    return Section("circumstances", "Circumstances", [report.circumstances, told])
