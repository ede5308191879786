"""Runs rivals on sets, each in a process of its own, and has the objective score what they return."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.objective import Reference, primal_values, worst_gap
from benchmarks.problems import Data, Floats, load
from benchmarks.records import Record
from benchmarks.rivals import RIVALS, Rival
from benchmarks.rivals.thresher import default_name
from benchmarks.worker import REPEATS, WARM_UP_SECONDS, grid

ROOT = Path(__file__).resolve().parent.parent
# Seconds a process may take besides solving: starting, reading data, warming up.
OVERHEAD = WARM_UP_SECONDS + 60.0


@dataclass(frozen=True, eq=False)
class Run:
    """What one rival did on one set; ``values`` and ``bounds`` are NaN where it has no point."""

    rival: str
    seconds: float
    warm_up: float
    values: Floats
    bounds: Floats
    note: str

    @property
    def finished(self) -> int:
        """How many values of C have a point."""
        return int(np.isfinite(self.values).sum())


def refused(rival: Rival, count: int, note: str) -> Run:
    """Return the run that did not take place."""
    nothing = np.full(count, np.nan)
    return Run(rival.name, float("nan"), float("nan"), nothing, nothing, note)


def in_process(name: str, rival: Rival, limit: float, count: int, place: str) -> dict[str, Any]:
    """Run the worker and return its outcome, an error where it left none."""
    command = [sys.executable, "-m", "benchmarks.worker", name, rival.name, str(limit), str(count), place]
    try:
        # Only the first run may use up the limit; those repeated are short.
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=machine.environment(),
            timeout=OVERHEAD + REPEATS * limit,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired:
        return {"error": "stopped while starting or warming up"}
    outcome = Path(place) / "outcome.json"
    if outcome.is_file():
        return dict(json.loads(outcome.read_text()))
    if done.returncode == -14:
        return {"stopped": True}
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return {"error": last[:160]}


def attempt(data: Data, rival: Rival, limit: float, count: int) -> Run:
    """Run one rival on one set and score its points."""
    reason = rival.refuses(data)
    if reason is not None:
        return refused(rival, count, f"not run: {reason}")
    with tempfile.TemporaryDirectory() as place:
        outcome = in_process(data.name, rival, limit, count, place)
        file = Path(place) / "table.npy"
        if not file.is_file() or "error" in outcome:
            return refused(rival, count, f"failed: {outcome.get('error', 'left no points')}")
        table = np.load(file)
    found = np.isfinite(table[:, 0])
    values = np.full(count, np.nan)
    values[found] = primal_values(data.X, data.y, data.loss, grid(count)[found], table[found, 2:])
    note = outcome.get("note", "")
    if not found.all():
        note = f"did not finish in {limit:g} s: {found.sum()} of {count} C"
    seconds = outcome.get("seconds", limit)
    return Run(rival.name, seconds, outcome.get("warm_up", float("nan")), values, table[:, 1], note)


def all_runs(
    data: Data, rivals: list[str], limit: float, count: int, say: Callable[[str], None]
) -> list[Run]:
    """Run all rivals on a set; one whose easier sibling did not finish is not tried."""
    runs: dict[str, Run] = {}
    for name in rivals:
        rival = RIVALS[name]
        sibling = runs.get(rival.easier or "")
        if sibling is not None and sibling.finished < count:
            runs[name] = refused(rival, count, f"not tried: {sibling.rival} did not finish")
        else:
            runs[name] = attempt(data, rival, limit, count)
        run = runs[name]
        say(f"  {data.name}: {run.rival}: {run.seconds:.3g} s, {run.finished} of {count} C  {run.note}")
    return list(runs.values())


def note_of(run: Run, reference: Reference, tol: float) -> str:
    """Return the run's note, with its own gaps checked where it gives bounds."""
    gap = worst_gap(run.values, run.bounds)
    # The runner forms this gap by subtraction, which rounds at about 1e-13.
    doubted = f"gap {gap:.0e} by the objective" if gap > 1.01 * tol + 1e-12 else ""
    crossed = f"below the proven bound at {reference.crossed} C" if reference.crossed else ""
    return ", ".join(filter(None, [run.note, doubted, crossed]))


def records_of(data: Data, runs: list[Run], limit: float) -> list[Record]:
    """Score all runs of a set against the best values known."""
    reference = Reference.over([run.values for run in runs], [run.bounds for run in runs])
    default = default_name(data)
    base = next((run for run in runs if run.rival == default and run.finished == run.values.size), None)
    return [
        Record(
            set=data.name,
            rows=data.X.shape[0],
            columns=data.X.shape[1],
            loss=data.loss,
            rival=run.rival,
            default=run.rival == default,
            values=run.values.size,
            finished=run.finished,
            seconds=run.seconds,
            warm_up=run.warm_up,
            suboptimality=reference.suboptimality(run.values),
            uncertainty=reference.uncertainty,
            ratio=run.seconds / base.seconds if base is not None else float("nan"),
            note=note_of(run, reference, data.tol),
            limit=limit,
            date=machine.today(),
            machine=machine.describe(),
            versions=machine.versions(),
        )
        for run in runs
    ]


def measure(
    names: list[str], rivals: list[str], limit: float, count: int, say: Callable[[str], None]
) -> Iterator[list[Record]]:
    """Yield the records of each set as soon as they are there."""
    for name in names:
        data = load(name)
        yield records_of(data, all_runs(data, rivals, limit, count, say), limit)
