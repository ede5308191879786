"""``thresher cv``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np

import thresher as th
from thresher.cli import options, output, training
from thresher.cli.data import Data, Floats, Source, training_rows
from thresher.cli.errors import UseError, data_errors
from thresher.cli.models import Model
from thresher.cli.progress import waiting
from thresher.cli.task import Task

# Lines of the table that people see.
SHOWN = 12


@click.command("cv")
@options.reads_rows
@options.chooses_model
@options.many_C("100")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True)
@click.option("--one-se", is_flag=True, help="Take the smallest C within one standard error of the best.")
@options.jobs_option
@options.output_option
@options.report_option
@options.json_option
def command(
    source: Source,
    task: Task,
    Cs: int | Floats,
    folds: int,
    one_se: bool,
    jobs: int | None,
    place: Path | None,
    report: Path | None,
    for_machines: bool,
) -> int:
    """Choose C by cross-validation on the rows of FILE, one path a fold, and save the model.

    Scores are accuracy for classes, minus the mean absolute error or pinball loss, or R² (insensitive).
    """
    search = {"Cs": Cs, "cv": folds, "one_se": one_se, "n_jobs": jobs}
    output.check_place(place, [".json"])
    output.check_report(report)
    data = training_rows(source)
    X, scaling = task.scaled(data.X)
    found = _searched(task, X, data, search)
    parts = training.restored(scaling, found.coef_, found.intercept_)
    classes = found.classes_.tolist() if task.loss == "hinge" else None
    gap = float(np.max(found.dual_gap_))
    model = training.model_of(data, task, found.C_, classes, parts, gap)
    _say(model, data, found, for_machines)
    if place is not None:
        output.save(place, model.save)
        if not for_machines:
            output.say(f"model: {place}")
    if report is not None:
        _report(task, X, data, found, report, source.file.name)
        if not for_machines:
            output.say(f"report: {report}")
    return training.code_of(model)


def _searched(task: Task, X: Any, data: Data, search: dict[str, Any]) -> Any:
    """Return the fitted search; what it warns of is said by the exit code."""
    searches: dict[str, Any] = {
        "hinge": "LinearSVCCV",
        "absolute": "LADRegressorCV",
        "pinball": "QuantileRegressorCV",
        "insensitive": "LinearSVRCV",
    }
    kind = {"fit_intercept": task.intercept != "none"}
    if task.intercept != "none":
        kind["intercept"] = task.intercept
    with waiting("cross-validating"), warnings.catch_warnings(), data_errors():
        warnings.simplefilter("ignore")
        estimator = getattr(th, searches[task.loss])(tol=task.tol, **kind, **task.parameters, **search)
        return estimator.fit(X, data.targets, sample_weight=data.weights)


def _say(model: Model, data: Data, found: Any, for_machines: bool) -> None:
    facts = training.summary(model, data)
    mean, spread = found.scores_.mean(axis=0), found.scores_.std(axis=0)
    if for_machines:
        scores = {"Cs": found.Cs_, "scores": found.scores_, "folds": len(found.scores_)}
        coefficients = {"coef": model.coef, "intercepts": model.intercept, "columns": model.features}
        output.say_json({"command": "cv", **facts, **scores, **coefficients})
        return
    best = int(np.flatnonzero(found.Cs_ == found.C_)[0])
    order = np.argsort(found.Cs_)
    shown = sorted(
        {
            *np.linspace(0, len(order) - 1, min(SHOWN, len(order))).astype(int).tolist(),
            *[int(np.flatnonzero(order == best)[0])],
        }
    )
    output.say_table(
        f"{len(found.scores_)} folds × {len(order)} values of C, larger scores are better",
        ["C", "mean score", "standard deviation", ""],
        [
            [f"{found.Cs_[k]:.4g}", f"{mean[k]:.6g}", f"{spread[k]:.2g}", "← chosen" if k == best else ""]
            for k in order[shown]
        ],
    )
    training.say_summary(facts)


def _report(task: Task, X: Any, data: Data, found: Any, file: Path, name: str) -> None:
    """Write the page of the path of all rows with the scores of the folds."""
    if task.loss == "hinge" and len(found.classes_) > 2:
        raise UseError("--report shows one path, and more than two classes have several")
    problem = task.problem(X, data.targets, data.weights)
    path = th.solve_path(problem, found.Cs_, tol=task.tol)
    page = path.report(title=f"{name}: {task.loss}", names=data.names, scores=found.scores_, chosen=found.C_)
    output.save(file, page.save)
