"""Measurements in processes of their own, with one thread and a time limit.

``python -m benchmarks.children TASK`` reads a task's arguments as JSON and prints what it finds as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

from benchmarks import machine
from benchmarks.worker import ENOUGH, REPEATS


def ask(task: str, limit: float, **given: Any) -> dict[str, Any] | None:
    """Return what ``task``, "module:function" of this package, finds; None where the time is up."""
    command = [sys.executable, "-m", "benchmarks.children", task]
    try:
        done = subprocess.run(
            command,
            cwd=machine.ROOT,
            env=machine.environment(),
            input=json.dumps(given),
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise RuntimeError(f"{task} {given} failed: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def best_time(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of a run, the best of those that take some together, and what it returned."""
    seconds: list[float] = []
    while sum(seconds) < ENOUGH and len(seconds) < REPEATS:
        begin = perf_counter()
        result = run()
        seconds.append(perf_counter() - begin)
    return min(seconds), result


if __name__ == "__main__":
    module, name = sys.argv[1].split(":")
    print(json.dumps(getattr(import_module(f"benchmarks.{module}"), name)(**json.loads(sys.stdin.read()))))
