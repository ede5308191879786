"""``thresher demo``: 100 SVMs on two overlapping clouds: what is proven, what it costs, who agrees."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

import thresher as th
from thresher.cli import options, output
from thresher.cli.data import Floats
from thresher.cli.errors import DONE, UseError

VALUES = np.geomspace(1e-2, 10, 100)


@click.command("demo")
@click.option(
    "--output",
    "-o",
    "folder",
    type=options.FILE,
    default="thresher-demo",
    show_default=True,
    metavar="FOLDER",
)
@options.json_option
def command(folder: Path, for_machines: bool) -> int:
    """Solve a toy problem for 100 values of C, compare with scikit-learn, write a picture and a page."""
    data = th.datasets.toy3()  # two classes of 1000 points, N(±0.5, 0.75² I), as in the DVI paper
    X, y = data.X, data.y
    first, _ = timed(lambda: th.svm_path(X, y, VALUES))
    seconds, path = timed(lambda: th.svm_path(X, y, VALUES))
    compared = [compare(path[k], X, y) for k in np.linspace(0, len(path) - 1, 5).astype(int)]
    facts = {"command": "demo", "rows": len(X), "values": len(path), "first": first, "seconds": seconds}
    written = draw(path, folder)
    if for_machines:
        output.say_json(
            {
                **facts,
                "gap": path.gap_bound.max(),
                "compared": compared,
                "files": [str(file) for file in written],
            }
        )
        return DONE
    say_path(path, X, y)
    output.say(f"Whole path: {seconds:.3f} s; the first time, loading or compiling: {first:.3f} s.\n")
    say_comparison(compared)
    for file in written:
        output.say(f"written: {file}")
    return DONE


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that work() took, and what it returned."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def draw(path: th.Path, folder: Path) -> list[Path]:
    """Write a picture and a page, where what they need is installed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UseError(f"{folder} is not a folder") from None
    picture, page = folder / "demo.png", folder / "demo.html"
    works = {
        picture: lambda place: path.plot().savefig(place, dpi=150),
        page: lambda place: path.report(title="Toy3 of the DVI paper", names=["x₁", "x₂"]).save(place),
    }
    written = []
    for file, work in works.items():
        try:
            output.save(file, work)
        except ImportError as error:
            output.say(str(error))
        else:
            written.append(file)
    return written


def say_path(path: th.Path, X: Floats, y: Floats) -> None:
    """Print ten of the path's points."""
    records = []
    for k in np.linspace(0, len(path) - 1, 10).astype(int):
        lower, upper = path.screened[k]
        accuracy = np.mean(np.sign(X @ path.coef[k]) == y)
        records.append(
            [f"{path.C[k]:.4f}", f"{lower:.1%}", f"{upper:.1%}", f"{path.gap[k]:.1e}", f"{accuracy:.1%}"]
        )
    output.say_table(
        f"{len(X)} rows, {len(path)} values of C; LOWER, UPPER: rows proven before the solve",
        ["C", "LOWER", "UPPER", "gap", "accuracy"],
        records,
    )


def compare(solution: th.Solution, X: Floats, y: Floats) -> dict[str, Any]:
    """Return scikit-learn's objective, trained to convergence, beside the certified one."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    peer = LinearSVC(
        loss="hinge", C=solution.C, fit_intercept=False, tol=1e-8, max_iter=20_000, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer.fit(X, y)
    theirs = solution.problem.primal(peer.coef_.ravel(), solution.C)
    converged = bool(peer.n_iter_ < peer.max_iter)
    return {"C": solution.C, "thresher": solution.primal, "scikit-learn": theirs, "converged": converged}


def say_comparison(compared: list[dict[str, Any]]) -> None:
    """Print both objectives."""
    records = []
    for entry in compared:
        ours, theirs = entry["thresher"], entry["scikit-learn"]
        converged = "yes" if entry["converged"] else "no"
        records.append(
            [f"{entry['C']:.4f}", f"{ours:.8f}", f"{theirs:.8f}", f"{theirs / ours - 1.0:.1e}", converged]
        )
    output.say_table(
        "scikit-learn's LinearSVC on the same problem, one fit for each C",
        ["C", "thresher", "scikit-learn", "difference", "converged"],
        records,
    )
