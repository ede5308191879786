"""Models at one C, and what a command says about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher.centre import centred
from thresher.cli import output
from thresher.cli.data import Data, Floats
from thresher.cli.errors import DONE, NOT_CONVERGED, data_errors
from thresher.cli.models import Model
from thresher.cli.scaling import Scaling
from thresher.cli.task import Task


def fitted(data: Data, task: Task, C: float) -> Model:
    """Return the model at C: of a regression, of two classes, or of each class against the rest."""
    X, scaling = task.scaled(data.X)
    classes = _classes(task, data.targets)
    solutions = []
    for y in _questions(data.targets, classes):
        problem = task.problem(X, y, data.weights)
        with data_errors():
            solutions.append(centred(th.solve_path(problem, [C], tol=task.tol)[0], task.tol))
    parts = [scaling.restored(solution.coef, solution.intercept) for solution in solutions]
    gap = max(solution.gap_bound for solution in solutions)
    return model_of(data, task, C, classes, parts, gap)


def model_of(
    data: Data,
    task: Task,
    C: float,
    classes: list[Any] | None,
    parts: list[tuple[Floats, float]],
    gap: float,
) -> Model:
    """Return the model with these coefficients and intercepts, one a class or one in all."""
    return Model(
        loss=task.loss,
        parameters=task.parameters,
        C=float(C),
        intercept_kind=task.intercept,
        tol=task.tol,
        gap=float(gap),
        met=bool(gap <= task.tol),
        rows=data.rows,
        target=data.target,
        features=data.names,
        classes=classes,
        coef=[coef.tolist() for coef, _ in parts],
        intercept=[float(intercept) for _, intercept in parts],
        thresher=th.__version__,
    )


def restored(scaling: Scaling, coef: Floats, intercept: Any) -> list[tuple[Floats, float]]:
    """Return the coefficients of an estimator on the scale of the data, one part a class."""
    rows, levels = np.atleast_2d(coef), np.atleast_1d(intercept)
    return [scaling.restored(row, float(level)) for row, level in zip(rows, levels, strict=True)]


def _classes(task: Task, y: NDArray[Any]) -> list[Any] | None:
    if task.loss != "hinge":
        return None
    with data_errors():
        found: list[Any] = np.unique(y).tolist()
    return found


def _questions(y: NDArray[Any], classes: list[Any] | None) -> list[NDArray[Any]]:
    """Return the targets of each problem: as they are, or every class against the rest."""
    if classes is None or len(classes) <= 2:
        return [y]
    return [y == one for one in classes]


def score_of(model: Model, X: Any, y: NDArray[Any]) -> tuple[str, float]:
    """Return how well the model does on rows with targets, and what that number is."""
    predictions = model.predict(X)
    if model.classes is not None:
        is_text = "U" in (predictions.dtype.kind, y.dtype.kind)
        return "accuracy", float(
            np.mean(predictions.astype(str) == y.astype(str) if is_text else predictions == y)
        )
    residual = y.astype(np.float64) - predictions
    if "quantile" in model.parameters:
        quantile = model.parameters["quantile"]
        return "mean pinball loss", float(np.maximum(quantile * residual, (quantile - 1.0) * residual).mean())
    return "mean absolute error", float(np.abs(residual).mean())


def summary(model: Model, data: Data) -> dict[str, Any]:
    """Return what there is to say about a fitted model."""
    name, score = score_of(model, data.X, data.targets)
    return {
        "rows": model.rows,
        "features": len(model.features),
        "loss": model.loss,
        **model.parameters,
        "intercept": model.intercept_kind,
        "C": model.C,
        "classes": model.classes,
        "gap": model.gap,
        "converged": model.met,
        "training": {name: score},
    }


def say_summary(facts: dict[str, Any]) -> None:
    """Print what there is to say about a fitted model, for people."""
    (name, score), *_ = facts["training"].items()
    proof = "proven within --tol" if facts["converged"] else "NOT within --tol"
    output.say(f"{facts['loss']} on {facts['rows']} rows × {facts['features']} columns, C = {facts['C']:g}")
    output.say(f"relative duality gap {facts['gap']:.1e}, {proof}; training {name} {score:.6g}")


def code_of(model: Model) -> int:
    """Return the exit code, and say so where the gap was not met."""
    if model.met:
        return DONE
    warn(f"the relative gap is {model.gap:.1e}, above --tol {model.tol:g}; scale the columns or raise --tol")
    return NOT_CONVERGED


def warn(line: str) -> None:
    """Print one line to where errors go."""
    import click

    click.echo(f"thresher: {line}", err=True)
