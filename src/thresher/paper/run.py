"""All experiments on all sets, one set after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from thresher import datasets
from thresher.datasets.download import Progress
from thresher.paper.baselines import baselines
from thresher.paper.circumstances import circumstances
from thresher.paper.printed import as_printed
from thresher.paper.published import NAMES, TOYS
from thresher.paper.records import Report, Result, Settings
from thresher.paper.reference import Reference
from thresher.paper.rejection import rejection, rules_for
from thresher.paper.runtime import trial
from thresher.paper.scaling import scalings
from thresher.paper.sets import PASSES, Subject, prepared, subject
from thresher.rows.base import Floats

Say = Callable[[str], None]

# Rows and columns of the sets that loops are compiled on before anything is timed.
WARM_UP_ROWS, WARM_UP_COLUMNS, WARM_UP_VALUES = 60, 3, 3


def grid(settings: Settings) -> Floats:
    """Return the values of C, equally spaced in the logarithm."""
    return np.geomspace(settings.low, settings.high, settings.values)


def measure(one: Subject, settings: Settings, say: Say) -> Result:
    """Run every experiment on one set."""
    data, C = one.data, grid(settings)
    settings = replace(settings, epochs=min(settings.epochs, PASSES.get(data.name, settings.epochs)))
    problem = data.problem()
    is_toy = data.name in TOYS
    say(f"{data.name}: unscreened solutions")
    reference = Reference.of(problem, C)
    rules = rules_for(data.loss, toy=is_toy)
    trials = []
    for rule in ("none", *rules):
        say(f"{data.name}: the paper's solver, rule {rule}")
        trials.append(trial(reference, rule, settings))
    say(f"{data.name}: rule as printed, modern solvers, scalings")
    y = data.y
    return Result(
        name=data.name,
        loss=data.loss,
        rows=data.X.shape[0],
        columns=data.X.shape[1],
        preparation=one.preparation,
        source=data.source,
        epochs=settings.epochs,
        C=C.tolist(),
        rejections=[rejection(reference, rule) for rule in rules],
        trials=trials,
        as_printed=as_printed(reference, settings),
        baselines=baselines(problem, C, settings),
        scalings=[] if is_toy else scalings(one.raw, C),
        bearable=reference.bearable_gaps(),
        reference_gap=reference.worst_gap,
        one_sign=max(float(np.mean(y >= 0.0)), float(np.mean(y <= 0.0))),
        prediction=float(np.abs(data.X @ reference.path.coef[-1]).max() / np.abs(y).mean()),
        weights=reference.path.coef[[0, -1]].tolist(),
    )


def warm_up(settings: Settings) -> None:
    """Have every loop compiled, so that nobody's time includes it."""
    small = replace(settings, values=WARM_UP_VALUES, epochs=10, repeats=1)
    for make in (datasets.classification, datasets.regression):
        measure(prepared(make(WARM_UP_ROWS, WARM_UP_COLUMNS), "as is"), small, lambda line: None)


def measure_all(
    names: list[str],
    settings: Settings,
    *,
    folder: str | Path | None = None,
    say: Say,
    progress: Progress | None = None,
    keep: Callable[[Report], None] | None = None,
    earlier: Report | None = None,
) -> Report:
    """Run everything on the sets that can be had, but those that ``earlier`` holds already.

    ``keep`` gets what there is after each set.
    """
    begin, where = perf_counter() - (earlier.seconds if earlier else 0.0), circumstances()
    finished = {result.name: result for result in earlier.results} if earlier else {}
    skipped: dict[str, str] = {}

    def so_far() -> Report:
        results = [finished[name] for name in NAMES if name in finished]
        return Report(settings, where, results, skipped, perf_counter() - begin)

    warm_up(settings)
    for name in names:
        if name in finished:
            continue
        try:
            found = subject(name, folder, settings.sample, progress)
        except (OSError, ValueError) as error:
            say(f"{name}: skipped, {error}")
            skipped[name] = str(error)
            continue
        finished[name] = measure(found, settings, say)
        if keep is not None:
            keep(so_far())
    return so_far()
