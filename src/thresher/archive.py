"""A path on disk: an .npz file of plain arrays, without the data it was solved on."""

from __future__ import annotations

import zlib
from hashlib import blake2b
from itertools import chain
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from thresher.anchor import anchor_of
from thresher.certificate import Certificate
from thresher.point import Point

if TYPE_CHECKING:
    from thresher.path import Path
    from thresher.problem import Problem

FORMAT = "thresher path 4"
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
        "u": np.array([c.u for c in certificates]).reshape(len(points), -1),
        "proof": np.array([_proof(c) for c in certificates]).reshape(-1, 4),
        "primal": path.primal,
        "primal_error": np.array([point.primal_error for point in points]),
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


def _proof(certificate: Certificate) -> tuple[float, float, float, float]:
    uncertainty = 0.0 if certificate.anchor is None else certificate.anchor.uncertainty
    return certificate.kappa, certificate.rounding, certificate.u_error, uncertainty


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
        saved = Saved(float(arrays["tol"]), rule, solver, _records(arrays, problem))
        owner = str(arrays["signature"])
    except damage:
        genuine = False
    if not genuine:
        raise ValueError(f"{file} is not a saved path of this version, or it is damaged")
    if owner != signature(problem):
        raise ValueError(f"{file} was saved for another problem (other data or loss)")
    return saved


def _records(arrays: dict[str, Any], problem: Problem) -> list[Record]:
    ends = np.cumsum(arrays["counts"])
    records: list[Record] = []
    for k, C in enumerate(arrays["C"].tolist()):
        kept = slice(int(ends[k] - arrays["counts"][k]), int(ends[k]))
        w = arrays["w"][k]
        frame = problem.frame
        kappa, rounding, u_error, uncertainty = arrays["proof"][k].tolist()
        anchor = None
        if frame.is_free:
            anchor = anchor_of(problem, arrays["kinks"][kept], arrays["theta"][kept], uncertainty)
        certificate = Certificate(
            C, frame.weights(w), arrays["u"][k], kappa, rounding, u_error, frame.level(w), anchor
        )
        point = Point(
            C,
            w,
            arrays["kinks"][kept],
            arrays["theta"][kept],
            float(arrays["primal"][k]),
            certificate,
            float(arrays["primal_error"][k]),
        )
        lower, upper = arrays["screened"][k].tolist()
        seconds = dict(zip(SECONDS, arrays["seconds"][k].tolist(), strict=True))
        records.append(
            (point, str(arrays["status"][k]), (lower, upper), int(arrays["iterations"][k]), seconds)
        )
    return records
