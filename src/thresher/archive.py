"""A path on disk: an .npz file of plain arrays, without the data it was solved on."""

from __future__ import annotations

import zlib
from hashlib import blake2b
from itertools import chain
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from thresher.certificate import Certificate
from thresher.point import Point

if TYPE_CHECKING:
    from thresher.path import Path
    from thresher.problem import Problem

FORMAT = "thresher path 2"
SECONDS = ("rule", "solver", "certificate", "total")

Record = tuple[Point, str, tuple[float, float], int, dict[str, float]]


class Saved(NamedTuple):
    """What a file holds."""

    tol: float
    rule: str
    solver: str
    records: list[Record]


def signature(problem: Problem) -> str:
    """Return a digest of everything that makes a problem: data, offsets, box, scale, intercept."""
    digest = blake2b(repr((problem.size, problem.features, problem.intercept)).encode())
    own = (problem.offsets, problem.lower, problem.upper, problem.scale)
    for piece in chain(own, problem.rows.pieces()):
        digest.update(piece.data)
    return digest.hexdigest()


def require_same(one: Problem, other: Problem) -> None:
    """Raise ValueError unless both problems are the same, to the last bit."""
    if one is not other and signature(one) != signature(other):
        raise ValueError("the path to start from was solved for another problem (other data or loss)")


def save(file: str | FilePath, path: Path) -> None:
    """Write ``path`` to ``file``: all of it, or nothing where that fails."""
    target = FilePath(file)
    partial = target.with_name(f"{target.name}.partial")
    try:
        with partial.open("wb") as stream:
            np.savez_compressed(stream, **_arrays(path))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _arrays(path: Path) -> dict[str, Any]:
    points = [solution.point for solution in path]
    certificates = [point.certificate for point in points]
    shape = (len(points), path.problem.dimension)
    return {
        "format": np.array(FORMAT),
        "signature": np.array(signature(path.problem)),
        "names": np.array([path.rule.name, path.solver.name]),
        "tol": np.array(path.tol),
        "C": path.C,
        "w": np.array([point.w for point in points]).reshape(shape),
        "u": np.array([c.u for c in certificates]).reshape(shape),
        "proof": np.array([(c.kappa, c.rounding, c.u_error) for c in certificates]).reshape(-1, 3),
        "primal": path.primal,
        "kinks": np.concatenate([np.empty(0, np.int64), *(point.kinks for point in points)]),
        "theta": np.concatenate([np.empty(0), *(point.theta for point in points)]),
        "counts": np.array([point.kinks.size for point in points], dtype=np.int64),
        "status": np.array([str(status) for status in path.status]),
        "screened": path.screened,
        "iterations": np.array([solution.iterations for solution in path], dtype=np.int64),
        "seconds": np.array(
            [[solution.seconds.get(name, 0.0) for name in SECONDS] for solution in path]
        ).reshape(-1, len(SECONDS)),
    }


def load(file: str | FilePath, problem: Problem) -> Saved:
    """Read what `save` wrote; raise ValueError for anything else."""
    damage = (
        BadZipFile,
        EOFError,
        IndexError,
        KeyError,
        NotImplementedError,
        TypeError,
        ValueError,
        zlib.error,
    )
    try:
        # np.load leaves a file open that it cannot read; this one is ours.
        with FilePath(file).open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays: dict[str, Any] = dict(stored)
        genuine = str(arrays["format"]) == FORMAT
        rule, solver = arrays["names"].tolist()
        saved = Saved(float(arrays["tol"]), rule, solver, _records(arrays))
        owner = str(arrays["signature"])
    except damage:
        genuine = False
    if not genuine:
        raise ValueError(f"{file} is not a saved path of this version, or it is damaged")
    if owner != signature(problem):
        raise ValueError(f"{file} was saved for another problem (other data or loss)")
    return saved


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
