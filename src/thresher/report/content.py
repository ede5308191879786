"""The numbers on the page: one list a quantity, along ascending C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher.report.rows import fate_counts, kink_rows

if TYPE_CHECKING:
    from thresher.path import Path
    from thresher.rows.base import Floats
    from thresher.solution import Solution

# More columns than this are left to path.coef: the largest are shown.
COLUMNS = 100
# Rows of the map of fates, spread evenly over all rows.
MAPPED = 240
# Digits of what is only looked at.
DIGITS = 7
LETTERS = np.array(list("L.UK"))


def content_of(
    path: Path, names: Sequence[str] | None, scores: Any | None, chosen: float | None
) -> dict[str, Any]:
    """Return what the page shows."""
    if len(path) == 0:
        raise ValueError("the path has no points to report on")
    ordered = sorted(path, key=lambda solution: solution.C)
    coef = np.array([solution.coef for solution in ordered])
    shown = np.sort(np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:COLUMNS])
    labels = _labels(names, path.problem.features)
    return {
        "facts": _facts(path),
        "names": [labels[j] for j in shown],
        "columns": path.problem.features,
        "coef": _short(coef[:, shown]),
        "points": {name: _short([_scalars(s)[name] for s in ordered]) for name in _scalars(ordered[0])},
        "status": [str(solution.status) for solution in ordered],
        "advice": [solution.status.advice for solution in ordered],
        "fates": _columns([fate_counts(solution) for solution in ordered]),
        "metrics": _columns([_metrics(solution) for solution in ordered]),
        "map": _map(ordered),
        "scores": None if scores is None else _scores(path, scores, chosen),
    }


def _labels(names: Sequence[str] | None, features: int) -> list[str]:
    if names is None:
        return [f"x{j}" for j in range(features)]
    if len(names) != features:
        raise ValueError(f"names has {len(names)} entries where there are {features} columns")
    return [str(name) for name in names]


def _facts(path: Path) -> dict[str, Any]:
    problem = path.problem
    return {
        "loss": problem.loss,
        "rows": problem.samples,
        "columns": problem.features,
        "intercept": problem.intercept,
        "rule": path.rule.name,
        "solver": path.solver.name,
        "tol": path.tol,
        "values": len(path),
        "seconds": float(sum(solution.seconds["total"] for solution in path)),
        "gap": float(path.gap_bound.max()),
        "missed": sum(not status.met for status in path.status),
    }


def _scalars(solution: Solution) -> dict[str, float]:
    return {
        "C": solution.C,
        "primal": solution.primal,
        "dual": solution.dual,
        "gap": solution.gap,
        "gap_bound": solution.gap_bound,
        "lower": solution.screened[0],
        "upper": solution.screened[1],
        "milliseconds": 1e3 * solution.seconds["total"],
        "iterations": solution.iterations,
        "intercept": solution.intercept,
    }


def _metrics(solution: Solution) -> dict[str, float]:
    """Return how well the solution fits the rows it was solved for."""
    problem = solution.problem
    scores = problem.scores(solution.w)
    loss = np.maximum(problem.lower * scores, problem.upper * scores)
    metrics = {
        "mean loss": float(loss.sum() / problem.samples),
        "|w|": float(np.linalg.norm(solution.coef)),
    }
    if problem.loss == "hinge":
        metrics["training accuracy"] = float(np.mean(scores < 1.0))
    return metrics


def _map(ordered: list[Solution]) -> list[str]:
    """Return for every C one letter a row, L, K, U or a dot; rows of like fate together."""
    size = ordered[0].problem.size
    rows = np.unique(np.linspace(0, size - 1, min(size, MAPPED)).astype(int))
    fates = np.array([solution.fates[rows] for solution in ordered])
    kinks = np.array([kink_rows(solution)[rows] for solution in ordered])
    order = np.lexsort((fates[-1], fates.sum(axis=0)))
    codes = np.where(kinks, 3, fates + 1)[:, order]
    return ["".join(line) for line in LETTERS[codes]]


def _scores(path: Path, scores: Any, chosen: float | None) -> dict[str, Any]:
    """Return mean and standard deviation over the folds, along ascending C."""
    table: Floats = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(path):
        raise ValueError(f"scores must be folds × {len(path)} values of C, got shape {table.shape}")
    table = table[:, np.argsort(path.C, kind="stable")]
    return {
        "folds": len(table),
        "mean": _short(table.mean(axis=0)),
        "deviation": _short(table.std(axis=0)),
        "chosen": chosen,
    }


def _columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: _short([record[name] for record in records]) for name in records[0]}


def _short(values: Any) -> list[Any]:
    """Return the values with as many digits as the page shows; JSON knows no NaN."""
    array: NDArray[Any] = np.asarray(values)
    if array.dtype.kind in "iu":
        return list(array.tolist())
    if array.ndim > 1:
        return [_short(row) for row in array]
    return [float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in array.tolist()]
