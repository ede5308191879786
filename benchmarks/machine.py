"""Where, when and with what a figure was measured."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from thresher.paper.circumstances import processor

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("thresher", "numpy", "numba", "scipy", "scikit-learn", "rehline", "skglm")

# One thread for everyone, whatever it uses.
POOLS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of every measured process."""
    return {**os.environ, **dict.fromkeys(POOLS, "1"), **more}


def memory() -> str:
    """Return the memory in whole gigabytes."""
    try:
        import psutil
    except ImportError:
        return "unknown memory"
    return f"{psutil.virtual_memory().total / 2**30:.0f} GB"


def describe() -> str:
    """Return the machine in a few words."""
    return f"{processor()}, {os.cpu_count()} cores, {memory()}, {platform.system()}"


def git(*arguments: str) -> str:
    """Return what git prints in this checkout, nothing where there is none."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit() -> str:
    """Return which commit is measured, and whether the source differs from it."""
    name = git("rev-parse", "--short", "HEAD") or "no commit"
    return f"commit {name} with changes" if git("status", "--porcelain", "src") else f"commit {name}"


def versions() -> str:
    """Return the commit, Python's version and those of the packages."""
    found = [commit(), f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found)


def today() -> str:
    """Return the date."""
    return datetime.now(UTC).date().isoformat()
