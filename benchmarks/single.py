"""Single fits: one value of C at a time, and all 100 against one; written to docs/_generated/single.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.children import ask, best_time
from benchmarks.objective import primal_values
from benchmarks.problems import PAPER, MissingSetError, load
from benchmarks.records import keep
from benchmarks.report import GENERATED, markdown, number, small
from benchmarks.rivals.liblinear import Liblinear
from benchmarks.rivals.thresher import problem_of
from benchmarks.rivals.warned import counted_warnings
from benchmarks.worker import grid

VALUES = (0.01, 1.0, 10.0)
TOL, COUNT = 1e-6, 100
LIMIT = 400.0
CASES = [*((name, C) for name in PAPER for C in VALUES), ("covtype", 1.0)]

TEXT = f"""\
## Single fits

One value of C from nothing, thresher at a relative gap of {TOL:g} (proven) against scikit-learn with its
default settings; the last column is the suboptimality that scikit-learn ends with.
"""
ALL_TEXT = f"""\
## {COUNT} values of C against one fit

All {COUNT} values of C in [1e-2, 10] at a gap of 1e-9 against one fit of scikit-learn at C = 10 with its
default settings.
"""


@dataclass(frozen=True)
class Single:
    """One fit each, in seconds; NaN where the rival ran out of time."""

    set: str
    C: float
    seconds: float
    rival: float
    suboptimality: float
    note: str


@dataclass(frozen=True)
class AllAgainstOne:
    """All values of C, and one fit of the rival at the last, in seconds."""

    set: str
    seconds: float
    rival: float


def fit_thresher(name: str, C: list[float], tol: float) -> dict[str, Any]:
    """Solve for every C; the first call, on a few rows, compiles."""
    import thresher

    data = load(name)
    thresher.solve_path(problem_of(data.slice()), C, tol=tol)
    seconds, path = best_time(lambda: thresher.solve_path(problem_of(data), C, tol=tol))
    worst = float(path.gap_bound.max())
    return {"seconds": seconds, "missed": worst > tol, "dual": [one.dual for one in path]}


def fit_rival(name: str, C: float) -> dict[str, Any]:
    """Fit scikit-learn's estimator with its default settings."""
    data = load(name)
    model = Liblinear()._model(data.loss, C)
    with counted_warnings() as warned:
        seconds, found = best_time(lambda: model.fit(data.X, data.y))
    w = np.ravel(found.coef_)[None, :]
    value = float(primal_values(data.X, data.y, data.loss, np.array([C]), w)[0])
    return {"seconds": seconds, "value": value, "note": warned.sentence()}


def singles(say: Callable[[str], None]) -> list[Single]:
    """Measure every case."""
    found = []
    for name, C in CASES:
        try:
            load(name)
        except MissingSetError as missing:
            say(f"skipped {name}: {missing}")
            continue
        ours = ask("single:fit_thresher", LIMIT, name=name, C=[C], tol=TOL)
        theirs = ask("single:fit_rival", LIMIT, name=name, C=C)
        if ours is None or ours["missed"]:
            raise RuntimeError(f"thresher did not solve {name} at C = {C:g}")
        if theirs is None:
            theirs = {
                "seconds": float("nan"),
                "value": float("nan"),
                "note": f"did not finish in {LIMIT:g} s",
            }
        excess = (theirs["value"] - ours["dual"][0]) / abs(ours["dual"][0])
        found.append(Single(name, C, ours["seconds"], theirs["seconds"], excess, theirs["note"]))
        say(f"  {name} C={C:g}: {found[-1].seconds:.3g} s, scikit-learn {found[-1].rival:.3g} s")
    return found


def all_against_one(say: Callable[[str], None]) -> list[AllAgainstOne]:
    """Measure the six sets."""
    found = []
    for name in dict.fromkeys(name for name, _ in CASES if name in PAPER):
        ours = ask("single:fit_thresher", LIMIT, name=name, C=grid(COUNT).tolist(), tol=1e-9)
        theirs = ask("single:fit_rival", LIMIT, name=name, C=10.0)
        if ours is None or theirs is None:
            raise RuntimeError(f"{name} took more than {LIMIT:g} s")
        found.append(AllAgainstOne(name, ours["seconds"], theirs["seconds"]))
        say(f"  {name}: all {found[-1].seconds:.3g} s, one {found[-1].rival:.3g} s")
    return found


def publish(say: Callable[[str], None]) -> str:
    """Measure, write the page, and return it."""
    fits, paths = singles(say), all_against_one(say)
    keep("single", fits)
    keep("all_against_one", paths)
    rows = [
        [
            one.set,
            f"{one.C:g}",
            number(one.seconds),
            number(one.rival),
            number(one.rival / one.seconds),
            small(one.suboptimality),
            one.note,
        ]
        for one in fits
    ]
    header = ["set", "C", "thresher, s", "scikit-learn, s", "ratio", "its suboptimality", "remarks"]
    parts = [TEXT, markdown(header, rows), "", ALL_TEXT]
    all_rows = [
        [one.set, number(one.seconds), number(one.rival), number(one.rival / one.seconds)] for one in paths
    ]
    parts.append(markdown(["set", "100 values, s", "one fit, s", "ratio"], all_rows))
    parts += [
        "",
        f"Measured {machine.today()} on {machine.describe()}; one thread each; {machine.versions()}.",
        "",
    ]
    text = "\n".join(parts)
    (GENERATED / "single.md").write_text(text)
    return text
