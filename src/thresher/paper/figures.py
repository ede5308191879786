"""The paper's three figures, and one of the speed-ups."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any, Final

import numpy as np

from thresher.paper.published import LAD, PUBLISHED, SVM, TOYS
from thresher.paper.records import Rejection, Report, Result
from thresher.paper.sets import toy
from thresher.paper.tables import RULE_NAMES, title

LOWER_COLOUR, UPPER_COLOUR = "#4477aa", "#cc6677"
# The decision lines at the smallest and the largest C: cyan and magenta, as in the paper.
LINE_COLOURS: Final = ("#00c8d8", "#e000e0")
RULE_STYLES: Final = {
    "dvi": ("#117733", "-"),
    "essnsv": ("#cc8800", "--"),
    "ssnsv": ("#882255", ":"),
}
PANEL, DPI = 3.3, 130
SHARE: Final = "share of rows discarded"
# Half the width of the plane shown around the toys' classes.
REACH = 4.3


def needed(module: str) -> Any:
    """Import what the page is made with, or say which extra installs it."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(f"the paper's page needs {package}: pip install 'thresher[report]'") from None


def _panels(rows: int, columns: int, height: float = PANEL) -> tuple[Any, Any]:
    figure = needed("matplotlib.figure").Figure(
        figsize=(PANEL * columns, height * rows), layout="constrained"
    )
    return figure, figure.subplots(rows, columns, squeeze=False)


def png(figure: Any) -> bytes:
    """Return a figure as PNG, without the date and version that would make every file differ."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()


def figures(report: Report) -> dict[str, bytes]:
    """Draw what there are results for, by name."""
    found = {result.name: result for result in report.results}
    toys, svm, lad = ([found[name] for name in names if name in found] for names in (TOYS, SVM, LAD))
    drawn = {}
    if toys:
        drawn["toys"] = png(_toys(toys))
    if svm:
        drawn["svm"] = png(_comparison(svm))
    if lad:
        drawn["lad"] = png(_stacked(lad))
    if report.results:
        drawn["speedups"] = png(_speedups(report.results))
    return drawn


def _toys(results: list[Result]) -> Any:
    """The points with the decision lines over the stacked rejection rates."""
    figure, axes = _panels(2, len(results))
    for result, (top, bottom) in zip(results, axes.T, strict=True):
        _scatter(top, result)
        _stack(bottom, result)
    axes[0, 0].set_ylabel("second feature")
    axes[1, 0].set_ylabel(SHARE)
    axes[1, -1].legend(loc="lower right", framealpha=0.9, fontsize="small")
    axes[0, -1].legend(loc="upper right", framealpha=0.9, fontsize="small")
    return figure


def _scatter(axis: Any, result: Result) -> None:
    data = toy(result.name)
    for sign, colour in ((1.0, "#cc3344"), (-1.0, "#3355bb")):
        points = data.X[data.y == sign]
        axis.scatter(points[:, 0], points[:, 1], s=3, color=colour, alpha=0.45, linewidths=0)
    for C, weights, colour in zip((result.C[0], result.C[-1]), result.weights, LINE_COLOURS, strict=True):
        along = np.array([-weights[1], weights[0]]) / np.hypot(weights[0], weights[1])
        ends = 2.0 * REACH * np.outer([-1.0, 1.0], along)
        axis.plot(
            ends[:, 0], ends[:, 1], color=colour, linestyle=(0, (1, 1)), linewidth=2.4, label=f"C = {C:g}"
        )
    axis.set(title=title(result), xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
    axis.set_xlabel("first feature")


def _stack(axis: Any, result: Result) -> None:
    found: Rejection = result.rejection_of("dvi")
    names = ("LOWER (the paper's R)", "UPPER (the paper's L)")
    colours = (LOWER_COLOUR, UPPER_COLOUR)
    axis.stackplot(result.C, found.lower, found.upper, labels=names, colors=colours, alpha=0.9)
    axis.margins(x=0.0)
    axis.set(xscale="log", ylim=(0.0, 1.0), xlabel="C")
    axis.set_title(f"{title(result)}: mean {found.mean:.3f}", fontsize="medium")


def _comparison(results: list[Result]) -> Any:
    """Rejection rates of the three rules along C."""
    figure, axes = _panels(1, len(results), height=1.25 * PANEL)
    for axis, result in zip(axes[0], results, strict=True):
        for rule, (colour, style) in RULE_STYLES.items():
            found = result.rejection_of(rule)
            label = f"{RULE_NAMES[rule]}, mean {found.mean:.3f}"
            axis.plot(result.C, found.shares, color=colour, linestyle=style, linewidth=2.0, label=label)
        axis.margins(x=0.0)
        axis.grid(alpha=0.25)
        axis.set(title=title(result), xscale="log", ylim=(0.0, 1.02), xlabel="C")
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False, fontsize="small")
    axes[0, 0].set_ylabel(SHARE)
    return figure


def _stacked(results: list[Result]) -> Any:
    """Stacked rejection rates of DVI along C."""
    figure, axes = _panels(1, len(results))
    for axis, result in zip(axes[0], results, strict=True):
        _stack(axis, result)
    axes[0, 0].set_ylabel(SHARE)
    axes[0, -1].legend(loc="lower right", framealpha=0.9, fontsize="small")
    return figure


def _speedups(results: list[Result]) -> Any:
    """The paper's speed-ups beside those in time and in row visits."""
    figure, axes = _panels(1, 1, height=0.8 + 0.38 * len(results))
    figure.set_size_inches(2.4 * PANEL, 1.2 + 0.38 * len(results))
    axis, places = axes[0, 0], np.arange(len(results))[::-1]
    theirs = [PUBLISHED[one.name].run_of("dvi").speedup for one in results]
    times = [one.speedup_of("dvi") for one in results]
    visits = [one.visits_saved_by("dvi") for one in results]
    of_solver = [one.solver_visits_saved_by("dvi") for one in results]
    axis.scatter(theirs, places, s=70, facecolors="none", edgecolors="black", label="paper", zorder=3)
    axis.scatter(times, places, s=34, color="#117733", label="here, time", zorder=3)
    axis.scatter(visits, places, s=40, color="#882255", marker="x", label="here, row visits", zorder=3)
    axis.scatter(of_solver, places, s=40, color="#cc8800", marker="+", label="here, solver's row visits")
    axis.axvline(1.0, color="0.6", linewidth=0.8)
    axis.set_yticks(places, [title(one) for one in results])
    axis.grid(axis="x", which="both", alpha=0.2)
    axis.set(xscale="log", xlabel="factor by which DVI reduces time, or row visits")
    axis.xaxis.set_major_formatter(needed("matplotlib.ticker").FormatStrFormatter("%g"))
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure
