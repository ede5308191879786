"""``thresher bench``."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np

import thresher as th
from thresher.cli import options, output
from thresher.cli.data import Data, Floats, Source, training_rows
from thresher.cli.errors import DONE, data_errors
from thresher.cli.progress import waiting
from thresher.cli.task import Task, grid_of


@click.command("bench")
@options.reads_rows
@options.chooses_model
@options.many_C("0.01:10:100")
@click.option(
    "--limit", callback=options.positive, default="60", show_default=True, help="Seconds a rival has."
)
@options.output_option
@options.json_option
def command(
    source: Source, task: Task, Cs: int | Floats, limit: float, place: Path | None, for_machines: bool
) -> int:
    """Time the path of FILE against one fit per C of scikit-learn, and compare the objectives.

    Suboptimality is the objective over thresher's, minus one, at its worst C; thresher's own is bounded by
    its gap. make bench, in a checkout, measures more rivals on public sets.
    """
    output.check_place(place, [".json"])
    data = training_rows(source)
    X, _ = task.scaled(data.X)
    problem = task.problem(X, data.targets, data.weights)
    grid = grid_of(problem, Cs)
    with data_errors(), waiting("measuring thresher"):
        th.solve_path(problem, grid[:1], tol=task.tol)  # compiles, or loads what is compiled
        begin = time.perf_counter()
        path = th.solve_path(problem, grid, tol=task.tol)
        seconds = time.perf_counter() - begin
    entries = [{"name": "thresher", "seconds": seconds, "done": len(path), "worst": path.gap_bound.max()}]
    rival = _rival(task)
    if rival is not None:
        with waiting("measuring scikit-learn"):
            entries.append(_raced(rival, path, X, data, limit))
    facts = {"command": "bench", "rows": data.rows, "columns": len(data.names), "values": len(grid)}
    facts["solvers"] = entries
    if for_machines:
        output.say_json(facts)
    else:
        _say(facts)
    if place is not None:
        output.save(place, lambda file: file.write_text(output.as_json(facts) + "\n"))
    return DONE


def _say(facts: dict[str, Any]) -> None:
    first = facts["solvers"][0]
    output.say_table(
        f"{facts['values']} values of C on {facts['rows']} rows × {facts['columns']} columns",
        ["solver", "seconds", "times thresher", "values of C", "worst suboptimality"],
        [
            [
                entry["name"],
                f"{entry['seconds']:.3g}",
                f"{entry['seconds'] / first['seconds']:.1f}",
                str(entry["done"]),
                f"{'≤ ' if entry is first else ''}{entry['worst']:.0e}",
            ]
            for entry in facts["solvers"]
        ],
    )
    if len(facts["solvers"]) == 1:
        output.say("scikit-learn has no solver for this loss with the squared penalty.")


def _rival(task: Task) -> Any:
    """Return scikit-learn's estimator for the same model, where there is one."""
    from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

    own_intercept = {"fit_intercept": task.intercept == "penalised"}
    width = task.parameters.get("epsilon", 0.0)
    if task.loss == "pinball":
        return None
    if task.loss == "hinge":
        if task.intercept == "free":
            return SVC(kernel="linear")
        return LinearSVC(loss="hinge", random_state=0, **own_intercept)
    return (
        SVR(kernel="linear", epsilon=width)
        if task.intercept == "free"
        else LinearSVR(epsilon=width, random_state=0, **own_intercept)
    )


def _raced(rival: Any, path: th.Path, X: Any, data: Data, limit: float) -> dict[str, Any]:
    """Return how long one fit for each C took, within the limit, and how far off the worst is."""
    problem, has_intercept = path.problem, path.problem.intercept != "none"
    seconds, worst, done = 0.0, 0.0, 0
    for solution in path:
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rival.set_params(C=solution.C).fit(X, data.targets, data.weights)
        seconds += time.perf_counter() - begin
        w = np.append(rival.coef_, rival.intercept_) if has_intercept else rival.coef_.ravel()
        worst, done = max(worst, problem.primal(w, solution.C) / solution.primal - 1.0), done + 1
        if seconds > limit:
            break
    name = f"scikit-learn {type(rival).__name__}"
    return {"name": name, "seconds": seconds, "done": done, "worst": worst}
