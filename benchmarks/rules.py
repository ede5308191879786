"""What each rule proves along C: ``python -m benchmarks.rules`` writes docs/_generated/rules.md.

The toy sets of the paper and its real ones, without intercept and without a constant column.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import thresher
from benchmarks import machine
from benchmarks.problems import Data, Floats, available, dense_set
from benchmarks.records import RESULTS
from benchmarks.worker import grid
from thresher import datasets

PAGE = Path(__file__).resolve().parent.parent / "docs" / "_generated" / "rules.md"

VALUES, TOL = 100, 1e-9
SVM_RULES = ("ssnsv", "essnsv", "dvi")
TOY_MEANS = (1.5, 0.75, 0.5)
# Shares are counts of rows: anything smaller is not a row.
EQUAL = 1e-12


def toy(mean: float) -> Data:
    """Return two classes of normal points around (mean, mean) and its opposite."""
    found = datasets.toy(mean)
    return Data(f"toy, μ = {mean:g}", found.X, found.y, found.loss)


def plain(name: str, **options: bool) -> Callable[[], Data]:
    """Return what loads a real set without a constant column."""
    return partial(dense_set, name, constant=False, **options)


SVM_SETS: list[Callable[[], Data]] = [
    *(partial(toy, mean) for mean in TOY_MEANS),
    plain("ijcnn1", scaled=False),
    plain("wine"),
    plain("covtype_6v7"),
]
LAD_SETS = [plain(name) for name in ("magic", "cpu_small", "houses")]


@dataclass(frozen=True, eq=False)
class Shares:
    """The share of rows that each rule proves at each C, and at how many C there was nothing to solve."""

    data: Data
    shares: dict[str, Floats]
    closed_form: int
    worst_gap: float

    def mean(self, rule: str) -> float:
        """Return the mean share over C."""
        return float(self.shares[rule].mean())

    def behind(self, rule: str, other: str) -> Floats:
        """Return the values of C at which ``rule`` proves fewer rows than ``other``."""
        fewer: Floats = grid(VALUES)[self.shares[rule] < self.shares[other] - EQUAL]
        return fewer


def measure(data: Data, rules: tuple[str, ...]) -> Shares:
    """Solve the path once with every rule."""
    problem = (thresher.Problem.svm if data.loss == "hinge" else thresher.Problem.lad)(data.X, data.y)
    shares, gap, closed = {}, 0.0, 0
    for rule in rules:
        path = thresher.solve_path(problem, grid(VALUES), rule=rule, solver="newton", tol=TOL)
        shares[rule] = path.screened.sum(axis=1)
        gap = max(gap, float(path.gap.max()))
        closed = path.status.count(thresher.Status.CLOSED_FORM)
    return Shares(data, shares, closed, gap)


def measured(
    sets: list[Callable[[], Data]], rules: tuple[str, ...], say: Callable[[str], None]
) -> list[Shares]:
    """Measure the sets that are there."""
    found = []
    for data in available(sets, say):
        say(f"  rules on {data.name}")
        found.append(measure(data, rules))
    return found


def spans(values: Floats) -> str:
    """List values of C, neighbours on the grid joined."""
    if not values.size:
        return "none"
    places = np.searchsorted(grid(VALUES), values * (1.0 - 1e-9))
    runs = np.split(values, np.flatnonzero(np.diff(places) > 1) + 1)
    return ", ".join(f"{run[0]:.3g}" if run.size == 1 else f"{run[0]:.3g}–{run[-1]:.3g}" for run in runs)


def svm_row(found: Shares) -> str:
    """Return one line of the table of SVM sets."""
    theorem = found.behind("essnsv", "ssnsv").size
    dvi = found.behind("dvi", "essnsv")
    means = " | ".join(f"{found.mean(rule):.3f}" for rule in SVM_RULES)
    listed = f"{dvi.size}: {spans(dvi)}" if dvi.size else "none"
    return f"| {found.data.name} | {means} | {theorem} | {listed} | {found.worst_gap:.0e} |"


def lad_row(found: Shares) -> str:
    """Return one line of the table of LAD sets."""
    share = found.shares["dvi"]
    y = found.data.y
    one_sign = max(float(np.mean(y >= 0.0)), float(np.mean(y <= 0.0)))
    return (
        f"| {found.data.name} | {share.mean():.3f} | {share.min():.3f} | {found.closed_form} "
        f"| {one_sign:.1%} | {found.worst_gap:.0e} |"
    )


SVM_TEXT = """\
Mean share of rows proven before the solve, over 100 values of C in [1e-2, 10]; no intercept and no
constant column. That ESSNSV proves at least what SSNSV proves at every C is a theorem, so the count of C
where it does not must be 0. That DVI proves more than ESSNSV is not one: the values of C at which it
proves less are listed. Most are near the largest C, whose solution SSNSV and ESSNSV are given and DVI
does without.
"""
LAD_TEXT = """\
Least absolute deviations, columns standardised, y as it is, no intercept. Without an intercept a model of
centred columns predicts values of mean zero. Where all of y has one sign (cpu_small, houses), hardly any
residual can change its sign, and nearly every row is proven with ease: the share says more about that
model than about the rule. At values of C in closed form nothing is solved; there the share is that of the
rows off their kink.
"""


def page(svm: list[Shares], lad: list[Shares]) -> str:
    """Return the page."""
    parts = [
        SVM_TEXT,
        "| set | SSNSV | ESSNSV | DVI | C with ESSNSV < SSNSV | C with DVI < ESSNSV | worst gap |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *map(svm_row, svm),
    ]
    if lad:
        parts += [
            "",
            LAD_TEXT,
            "| set | DVI, mean | DVI, least | C in closed form | y of one sign | worst gap |",
            "| --- | --- | --- | --- | --- | --- |",
            *map(lad_row, lad),
        ]
    return "\n".join([*parts, "", f"Measured {machine.today()}; {machine.versions()}.", ""])


def keep(found: list[Shares]) -> None:
    """Write every share at every C to ``results/rules.csv``."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "rules.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["set", "rule", "C", "share"])
        for one in found:
            for rule, shares in one.shares.items():
                lines = zip(grid(VALUES), shares, strict=True)
                writer.writerows([one.data.name, rule, f"{C:.6g}", f"{share:.6g}"] for C, share in lines)


def publish(say: Callable[[str], None]) -> str:
    """Measure, write the page, and return it."""
    svm, lad = measured(SVM_SETS, SVM_RULES, say), measured(LAD_SETS, ("dvi",), say)
    keep([*svm, *lad])
    text = page(svm, lad)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    return text


if __name__ == "__main__":
    print(publish(lambda line: print(line, file=sys.stderr)))
