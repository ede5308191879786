"""What a free intercept costs and proves; written to docs/_generated/intercept.md.

The six sets without a constant column, with every kind of intercept in turn; and LIBSVM, whose model is
the one with a free intercept, fit at every tenth C within a time limit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

import thresher
from benchmarks import machine
from benchmarks.problems import Data, available, dense_set
from benchmarks.records import keep
from benchmarks.rules import plain
from benchmarks.worker import grid

PAGE = Path(__file__).resolve().parent.parent / "docs" / "_generated" / "intercept.md"

VALUES, TOL, REPEATS = 100, 1e-9, 5
INTERCEPTS = ("none", "penalised", "free")
# LIBSVM is fit at every so many values of C, for so many seconds in all.
EVERY, LIMIT = 10, 60.0
SAMPLE_ROWS = 5000


def magic_classes() -> Data:
    """Return magic as the two classes it is."""
    return dense_set("magic (classes)", of="magic", loss="hinge", constant=False)


def ijcnn1_sample() -> Data:
    """Return a sample of ijcnn1, since LIBSVM's time grows with the square of the rows or faster."""
    data = dense_set("ijcnn1 (5,000 rows)", of="ijcnn1", scaled=False, constant=False)
    rows = np.sort(np.random.default_rng(0).choice(data.y.size, SAMPLE_ROWS, replace=False))
    return Data(data.name, np.ascontiguousarray(data.X[rows]), data.y[rows], data.loss)


SETS: list[Callable[[], Data]] = [
    plain("ijcnn1", scaled=False),
    *(plain(name) for name in ("wine", "covtype_6v7", "magic")),
    *(plain(name, targets=True) for name in ("cpu_small", "houses")),
]
LIBSVM_SETS: list[Callable[[], Data]] = [SETS[1], magic_classes, ijcnn1_sample]


@dataclass(frozen=True)
class Cost:
    """One path: seconds (best of some), the mean share proven, the worst gap with its rounding."""

    set: str
    intercept: str
    seconds: float
    share: float
    gap: float
    solved: int


@dataclass(frozen=True)
class Rival:
    """LIBSVM beside a path with a free intercept, both in seconds for one C."""

    set: str
    libsvm: float
    fits: int
    worst: float
    thresher: float


def path_of(data: Data, intercept: thresher.problem.Intercept) -> tuple[float, thresher.Path]:
    """Return the best time of some for a path, its problem made anew every time, and the path."""
    make = thresher.Problem.svm if data.loss == "hinge" else thresher.Problem.lad
    best = np.inf
    for _ in range(REPEATS):
        begin = perf_counter()
        path = thresher.solve_path(make(data.X, data.y, intercept=intercept), grid(VALUES), tol=TOL)
        best = min(best, perf_counter() - begin)
    return best, path


def costs(data: Data) -> list[Cost]:
    """Measure a set with every kind of intercept."""
    found = []
    for intercept in INTERCEPTS:
        seconds, path = path_of(data, intercept)
        solved = sum(status is thresher.Status.CONVERGED for status in path.status)
        share = float(path.screened.sum(axis=1).mean())
        found.append(Cost(data.name, intercept, seconds, share, float(path.gap_bound.max()), solved))
    return found


def against_libsvm(data: Data) -> Rival:
    """Fit LIBSVM at some C within the limit, and score it by thresher's primal values."""
    from sklearn.svm import SVC

    seconds, path = path_of(data, "free")
    spent, fits, worst = 0.0, 0, 0.0
    for position in range(0, VALUES, EVERY):
        solution = path[position]
        begin = perf_counter()
        model = SVC(kernel="linear", C=solution.C).fit(data.X, data.y)
        spent, fits = spent + perf_counter() - begin, fits + 1
        w = np.append(model.coef_.ravel(), model.intercept_)
        worst = max(worst, path.problem.primal(w, solution.C) / solution.primal - 1.0)
        if spent > LIMIT:
            break
    return Rival(data.name, spent / fits, fits, worst, seconds / VALUES)


TEXT = f"""\
Seconds for {VALUES} values of C in [1e-2, 10] (best of {REPEATS}, the problem made anew each time), and the
mean share of rows proven before the solve, by kind of intercept; no constant column. Where the model
without intercept is in closed form over the whole range, as for regression on targets of one sign with
centred columns, its time and share say nothing.
"""
RIVAL_TEXT = f"""\
The same model in LIBSVM, `SVC(kernel="linear")` with its default tolerance, fit at every {EVERY}th value
of C (for {LIMIT:g} seconds at most): seconds for one C, beside those of the path above divided by {VALUES}.
"""


def table(found: list[Cost]) -> list[str]:
    """Return the lines of the table of costs."""
    lines = [
        "| set | none, s | penalised, s | free, s | free / penalised | share: none | penalised | free "
        "| worst gap, free |",
        "|" + " --- |" * 9,
    ]
    for first in range(0, len(found), len(INTERCEPTS)):
        none, penalised, free = found[first : first + len(INTERCEPTS)]
        shares = " | ".join(
            f"{cost.share:.3f}" if cost.solved else "closed form" for cost in (none, penalised, free)
        )
        lines.append(
            f"| {none.set} | {none.seconds:.2g} | {penalised.seconds:.2g} | {free.seconds:.2g} "
            f"| {free.seconds / penalised.seconds:.2g} | {shares} | {free.gap:.0e} |"
        )
    return lines


def rival_table(found: list[Rival]) -> list[str]:
    """Return the lines of the table with LIBSVM."""
    lines = [
        "| set | LIBSVM, s per C | fits | its worst relative suboptimality | thresher, s per C | ratio |",
        "|" + " --- |" * 6,
    ]
    return lines + [
        f"| {one.set} | {one.libsvm:.2g} | {one.fits} | {one.worst:.0e} | {one.thresher:.2g} "
        f"| {one.libsvm / one.thresher:,.0f} |"
        for one in found
    ]


def publish(say: Callable[[str], None]) -> str:
    """Measure, write the page, and return it."""
    measured = []
    for data in available(SETS, say):
        say(f"  intercepts on {data.name}")
        measured += costs(data)
    rivals = []
    for data in available(LIBSVM_SETS, say):
        say(f"  LIBSVM on {data.name}")
        rivals.append(against_libsvm(data))
    keep("intercept", measured)
    keep("intercept_libsvm", rivals)
    where = f"Measured {machine.today()} on {machine.describe()}; {machine.versions()}."
    text = "\n".join([TEXT, *table(measured), "", RIVAL_TEXT, *rival_table(rivals), "", where, ""])
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    return text


if __name__ == "__main__":
    print(publish(lambda line: print(line, file=sys.stderr)))
