"""Where, when and with what figures were measured."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

PACKAGES = ("thresher", "numpy", "numba", "scipy")


def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def circumstances() -> str:
    """Return one sentence: date, machine, threads, versions."""
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{package} {metadata.version(package)}" for package in PACKAGES]
    return (
        f"Measured {datetime.now(UTC).date().isoformat()} on {processor()} ({os.cpu_count()} cores, "
        f"{platform.system()}), one thread; {', '.join(versions)}."
    )
