"""A path on disk: an .npz file of plain arrays, without the data it was solved on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from zipfile import BadZipFile

import numpy as np

from thresher.certificate import Certificate
from thresher.point import Point

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.rows.base import Floats

FORMAT = "thresher path 1"
SECONDS = ("rule", "solver", "certificate", "total")

Record = tuple[Point, str, tuple[float, float], int, dict[str, float]]


class Saved(Protocol):
    """What is kept of a solution."""

    @property
    def point(self) -> Point: ...
    @property
    def status(self) -> str: ...
    @property
    def screened(self) -> tuple[float, float]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def seconds(self) -> dict[str, float]: ...


def signature(problem: Problem) -> Floats:
    """Return numbers that tell problems apart: shapes, and sums weighted by position."""
    weights = np.cos(np.arange(problem.size))
    values = [
        float(np.sum(weights * values))
        for values in (problem.offsets, problem.lower, problem.upper, problem.scale)
    ]
    image = problem.combination(weights)
    return np.concatenate([[problem.size, problem.samples, problem.features], values, image])


def same(one: Floats, other: Floats) -> bool:
    """Compare two signatures up to the rounding of their sums."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-6, atol=1e-9))


def require_same(one: Problem, other: Problem) -> None:
    """Raise ValueError unless both problems are the same."""
    if one is not other and not same(signature(one), signature(other)):
        raise ValueError("the path to start from was solved for another problem (other data or loss)")


def save(file: str | Path, problem: Problem, tol: float, solutions: Sequence[Saved]) -> None:
    """Write ``solutions`` to ``file``."""
    points = [solution.point for solution in solutions]
    certificates = [point.certificate for point in points]
    with Path(file).open("wb") as stream:
        np.savez_compressed(
            stream,
            format=np.array(FORMAT),
            signature=signature(problem),
            tol=np.array(tol),
            C=np.array([point.C for point in points]),
            w=np.array([point.w for point in points]).reshape(len(points), problem.dimension),
            u=np.array([c.u for c in certificates]).reshape(len(points), problem.dimension),
            proof=np.array([(c.kappa, c.rounding, c.u_error) for c in certificates]).reshape(-1, 3),
            primal=np.array([point.primal for point in points]),
            kinks=np.concatenate([np.empty(0, np.int64), *(point.kinks for point in points)]),
            theta=np.concatenate([np.empty(0), *(point.theta for point in points)]),
            counts=np.array([point.kinks.size for point in points], dtype=np.int64),
            status=np.array([str(solution.status) for solution in solutions]),
            screened=np.array([solution.screened for solution in solutions]).reshape(-1, 2),
            iterations=np.array([solution.iterations for solution in solutions], dtype=np.int64),
            seconds=np.array(
                [[solution.seconds.get(name, 0.0) for name in SECONDS] for solution in solutions]
            ).reshape(-1, len(SECONDS)),
        )


def load(file: str | Path, problem: Problem) -> tuple[float, list[Record]]:
    """Read what `save` wrote; raise ValueError for anything else."""
    try:
        with np.load(Path(file), allow_pickle=False) as stored:
            arrays: dict[str, Any] = dict(stored)
        genuine = str(arrays["format"]) == FORMAT
    except (BadZipFile, EOFError, KeyError, TypeError, ValueError):
        genuine = False
    if not genuine:
        raise ValueError(f"{file} is not a saved path of this version, or it is damaged")
    if not same(arrays["signature"], signature(problem)):
        raise ValueError(f"{file} was saved for another problem (other data or loss)")
    return float(arrays["tol"]), list(_records(arrays))


def _records(arrays: dict[str, Any]) -> list[Record]:
    ends = np.cumsum(arrays["counts"])
    records: list[Record] = []
    for k, C in enumerate(arrays["C"].tolist()):
        kept = slice(int(ends[k] - arrays["counts"][k]), int(ends[k]))
        w = arrays["w"][k]
        certificate = Certificate(C, w, arrays["u"][k], *arrays["proof"][k].tolist())
        point = Point(
            C,
            w,
            arrays["kinks"][kept],
            arrays["theta"][kept],
            float(arrays["primal"][k]),
            certificate,
        )
        lower, upper = arrays["screened"][k].tolist()
        seconds = dict(zip(SECONDS, arrays["seconds"][k].tolist(), strict=True))
        records.append(
            (point, str(arrays["status"][k]), (lower, upper), int(arrays["iterations"][k]), seconds)
        )
    return records
