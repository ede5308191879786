"""Choosing C: cross-validated paths against grid searches over scikit-learn's estimators, on the same folds.

Also what the folds could share besides their rows: the solution of all rows as a first certificate.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.children import ask, best_time
from benchmarks.problems import Data, available
from benchmarks.report import number
from benchmarks.rivals.warned import counted_warnings
from benchmarks.rules import plain
from benchmarks.worker import grid

VALUES, FOLDS, LIMIT = 100, 5, 300.0
SETS: dict[str, Callable[[], Data]] = {
    "ijcnn1": plain("ijcnn1", scaled=False),
    "wine": plain("wine"),
    "covtype_6v7": plain("covtype_6v7"),
    "houses": plain("houses", targets=True),
}
# What is compared: thresher with LIBLINEAR's intercept (the same model) and with its default.
PENALISED, FREE, RIVAL = "thresher, penalised", "thresher, free", "scikit-learn"
SCORING = {"hinge": "accuracy", "absolute": "neg_mean_absolute_error"}


@dataclass(frozen=True)
class Search:
    """One way to choose C on one set."""

    set: str
    who: str
    seconds: float
    finished: int
    chosen: float
    score: float
    exact: float
    ratio: float
    note: str


# --- in a process of its own


def search_paths(name: str, intercept: str) -> dict[str, Any]:
    """Choose C by thresher, and refit."""
    import thresher

    data = SETS[name]()
    kind = thresher.LinearSVCCV if data.loss == "hinge" else thresher.LADRegressorCV
    model = kind(Cs=grid(VALUES), cv=FOLDS, scoring=SCORING[data.loss], intercept=intercept)
    small = data.slice()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(small.X, small.y)
    with counted_warnings() as warned:
        seconds, _ = best_time(lambda: model.fit(data.X, data.y))
    scores = model.scores_.mean(axis=0).tolist()
    return {"seconds": seconds, "scores": scores, "finished": VALUES, "note": warned.sentence()}


def search_liblinear(name: str, seconds: float) -> dict[str, Any]:
    """Search the grid as GridSearchCV does, one C after the other until the time is up, and refit."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC, LinearSVR

    data = SETS[name]()
    model = LinearSVC(loss="hinge", random_state=0) if data.loss == "hinge" else LinearSVR(random_state=0)
    small = data.slice()
    begin, scores = perf_counter(), []
    with counted_warnings() as warned:
        model.fit(small.X, small.y)
        begin = perf_counter()
        for C in grid(VALUES):
            search = GridSearchCV(model, {"C": [C]}, cv=FOLDS, scoring=SCORING[data.loss], refit=False)
            scores.append(float(search.fit(data.X, data.y).best_score_))
            if perf_counter() - begin > seconds:
                break
        model.set_params(C=grid(VALUES)[int(np.argmax(scores))]).fit(data.X, data.y)
    took = perf_counter() - begin
    return {"seconds": took, "scores": scores, "finished": len(scores), "note": warned.sentence()}


def compare_certificates(name: str) -> dict[str, Any]:
    """Return what the solution of all rows proves in a fold, beside the fold's own last solution."""
    from sklearn.model_selection import KFold

    import thresher

    data, C = SETS[name](), grid(VALUES)
    make = thresher.Problem.svm if data.loss == "hinge" else thresher.Problem.lad
    train = next(KFold(FOLDS, shuffle=True, random_state=0).split(data.X))[0]
    whole = thresher.solve_path(make(data.X, data.y, intercept="penalised"), C)
    fold = make(data.X[train], data.y[train], intercept="penalised")
    own = thresher.solve_path(fold, C)
    shares = []
    for k in range(10, VALUES, 10):
        same, heavier = whole[k], whole.at(C[k] * (FOLDS - 1) / FOLDS)
        pairs = [fold.certify(one.w, one.theta[train], C[k]) for one in (same, heavier)]
        pairs.append(own[k - 1].certificate)
        shares.append([float(np.mean(fold.fates_over(one.ball(C[k])) != 0)) for one in pairs])
    same, scaled, last = np.mean(shares, axis=0)
    return {"same": same, "scaled": scaled, "last": last}


# --- tables


def found_by(name: str, who: str, limit: float) -> dict[str, Any] | None:
    """Measure one way on one set."""
    if who == RIVAL:
        return ask("search:search_liblinear", 3.0 * limit, name=name, seconds=limit)
    return ask("search:search_paths", limit, name=name, intercept=who.rpartition(" ")[2])


def measure(say: Callable[[str], None]) -> list[Search]:
    """Measure every way on every set that is there."""
    records = []
    for data in available(SETS.values(), say):
        found = {}
        for who in (PENALISED, FREE, RIVAL):
            say(f"  search on {data.name}: {who}")
            found[who] = found_by(data.name, who, LIMIT)
        records += [record(data.name, who, found) for who in found if found[who] is not None]
    return records


def record(name: str, who: str, found: dict[str, Any]) -> Search:
    """Score what was chosen by the exact models, those of the same intercept."""
    one, exact = found[who], found[FREE if who == FREE else PENALISED]
    best = int(np.argmax(one["scores"]))
    return Search(
        name,
        who,
        one["seconds"],
        one["finished"],
        float(grid(VALUES)[best]),
        one["scores"][best],
        exact["scores"][best],
        one["seconds"] / found[PENALISED]["seconds"],
        one["note"],
    )


TEXT = f"""\
## Choosing C

{VALUES} values of C in [1e-2, 10], {FOLDS} folds (the same for all), a last fit with the chosen C; seconds in
all, one thread. `LinearSVCCV` and `LADRegressorCV` against scikit-learn's
`GridSearchCV(LinearSVC(loss="hinge"))` and `GridSearchCV(LinearSVR(epsilon=0))`, for {LIMIT:g} s at most.
With the penalised intercept the model is the same; the free one is the default. "Exact" is the mean score of
the exact models at the chosen C, which tells what the choice is worth. The prices of houses are standardised.
"""
SHARING = """\
What the folds share: the samples' norms and frame, measured once. The solution of all rows, at the same C or
with the same weight a row, is a certificate in a fold too, but a poor one beside the fold's own solution at
the last C. Mean share of rows that each proves at the next C:
"""


def table(found: list[Search]) -> list[str]:
    """Return the lines of the table of searches."""
    lines = ["| set | by | seconds | ratio | chosen C | mean score | exact | remarks |", "|" + " --- |" * 8]
    for one in found:
        complete = one.finished == VALUES
        remarks = one.note if complete else f"{one.finished} of {VALUES} C in the time; {one.note}"
        lines.append(
            f"| {one.set} | {one.who} | {'' if complete else '> '}{number(one.seconds)} "
            f"| {'' if complete else '> '}{number(one.ratio)} | {one.chosen:.3g} | {one.score:.5f} "
            f"| {one.exact:.5f} | {remarks} |"
        )
    return lines


@dataclass(frozen=True)
class Shared:
    """Mean shares of rows that a certificate proves in a fold."""

    set: str
    same: float
    scaled: float
    last: float


def sharing(say: Callable[[str], None]) -> list[Shared]:
    """Measure what certificates prove on the sets that are there."""
    found = []
    for data in available(SETS.values(), say):
        say(f"  certificates on {data.name}")
        one = ask("search:compare_certificates", LIMIT, name=data.name)
        if one is not None:
            found.append(Shared(data.name, **one))
    return found


def sharing_table(found: list[Shared]) -> list[str]:
    """Return the lines of the table of certificates."""
    lines = ["| set | all rows, same C | all rows, same weight per row | fold's last C |", "|" + " --- |" * 4]
    return lines + [f"| {one.set} | {one.same:.3f} | {one.scaled:.3f} | {one.last:.3f} |" for one in found]
