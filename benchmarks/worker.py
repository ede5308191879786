"""One rival on one set, in a process of its own.

``python -m benchmarks.worker SET RIVAL SECONDS COUNT FOLDER``. Points go to a file in ``FOLDER`` as
they are found, so a run that is stopped leaves those it managed.
"""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.problems import Data, Floats, load
from benchmarks.rivals import RIVALS, Rival

C_RANGE = (1e-2, 10.0)
# Runs are repeated until they take so long together, at most so often, and the best counts.
ENOUGH, REPEATS = 4.0, 20
# The warm-up solves so many values of C on a slice, for at most so many seconds.
WARM_UP_VALUES, WARM_UP_SECONDS = 3, 120.0


class OutOfTimeError(Exception):
    """Raised between two values of C once the time is up."""


@dataclass
class Recorder:
    """Writes seconds since the start, bound and point of every C into its row of a table."""

    table: Any
    limit: float
    count: int = 0
    begin: float = 0.0

    def __call__(self, w: Floats, bound: float = float("nan")) -> None:
        now = perf_counter() - self.begin
        if self.table is not None:
            self.table[self.count, 1] = bound
            self.table[self.count, 2:] = w
            self.table[self.count, 0] = now
        self.count += 1
        if now > self.limit:
            raise OutOfTimeError


def grid(count: int) -> Floats:
    """Return the values of C."""
    return np.geomspace(*C_RANGE, count)


def timed(rival: Rival, data: Data, C: Floats, table: Any, limit: float) -> tuple[float, str]:
    """Return the seconds of one run and what it says about itself."""
    recorder = Recorder(table, limit)
    # Compiled code may not come back in time for a check between two values of C: the alarm ends the process.
    signal.setitimer(signal.ITIMER_REAL, limit + 1.0)
    recorder.begin = perf_counter()
    try:
        note = rival.solve(data, C, recorder)
    except OutOfTimeError:
        note = ""
    seconds = perf_counter() - recorder.begin
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    return seconds, note


def measure(rival: Rival, data: Data, limit: float, table: Any) -> dict[str, Any]:
    """Warm up on a slice, run, repeat where that was short."""
    C = grid(table.shape[0])
    warm_up, _ = timed(rival, data.slice(), C[:WARM_UP_VALUES], None, WARM_UP_SECONDS)
    first, note = timed(rival, data, C, table, limit)
    seconds = [first]
    while sum(seconds) < ENOUGH and len(seconds) < REPEATS:
        seconds.append(timed(rival, data, C, None, limit)[0])
    return {"seconds": min(seconds), "runs": len(seconds), "warm_up": warm_up, "note": note}


def main(name: str, rival: str, limit: str, count: str, folder: str) -> None:
    """Run and leave ``table.npy`` and ``outcome.json`` in the folder."""
    place, data = Path(folder), load(name)
    shape = (int(count), 2 + data.X.shape[1])
    table = np.lib.format.open_memmap(place / "table.npy", mode="w+", dtype=np.float64, shape=shape)
    table[:] = np.nan
    try:
        outcome = measure(RIVALS[rival], data, float(limit), table)
    except Exception as error:
        sentence = " ".join(str(error).split())[:160]
        outcome = {"error": f"{type(error).__name__}: {sentence}"}
    (place / "outcome.json").write_text(json.dumps(outcome))


if __name__ == "__main__":
    main(*sys.argv[1:])
