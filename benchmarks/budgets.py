"""What thresher may cost besides solving: import, first calls, memory; and the prototype's times.

Every figure comes from a fresh process; ``python -m benchmarks.budgets memory FORMAT`` is one of them.
"""

from __future__ import annotations

import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final, TypeVar

import numpy as np
import scipy.sparse

from benchmarks import machine
from benchmarks.problems import PAPER
from benchmarks.records import RESULTS, keep, read

Result = TypeVar("Result")

ROOT = Path(__file__).resolve().parent.parent

IMPORT_SECONDS, FIRST_SECONDS, WARM_SECONDS, MEMORY_SHARE = 0.7, 8.0, 1.0, 0.5
HELP_SECONDS, COMMAND_SECONDS = 0.3, 2.0
# Best of so many processes: the first reads files from disk.
IMPORTS = 5
# Toy1 of the DVI paper, as a file of a user's.
TOY1 = """
import numpy as np
y = np.repeat([1, -1], 1000)
X = np.random.default_rng(0).normal(1.5 * y[:, None], 0.75, (2000, 2))
np.savez("toy1.npz", X=X, y=y)
"""

# Seconds the throw-away prototype needed for 100 values of C on the same kind of machine.
PROTOTYPE: Final = {
    "ijcnn1": 0.19,
    "wine": 0.010,
    "covtype_6v7": 0.068,
    "magic": 0.041,
    "cpu_small": 0.028,
    "houses": 0.038,
}
PROTOTYPE_FACTOR = 3.0

ROWS, COLUMNS, ENTRIES, VALUES = 2_000_000, 20, 10, 20
FORMATS = ("float64", "float32", "csr")

IMPORT = """
from time import perf_counter
begin = perf_counter()
import thresher
thresher.svm_path  # names are imported when first asked for
print(perf_counter() - begin)
"""

FIRST_CALL = """
import numpy as np
from thresher import svm_path
from time import perf_counter
X = np.random.default_rng(0).standard_normal((1000, 5))
y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1, -1)
begin = perf_counter()
svm_path(X, y, C=np.geomspace(1e-2, 10, 100))
print(perf_counter() - begin)
"""


@dataclass(frozen=True)
class Budget:
    """A figure and its bound."""

    what: str
    measured: float
    bound: float
    unit: str
    remarks: str = ""

    def cells(self) -> list[str]:
        """Return one line of the table."""
        unknown = math.isnan(self.measured)
        met = "–" if unknown else "yes" if self.measured <= self.bound else "NO"
        shown = "–" if unknown else f"{self.measured:.2g} {self.unit}"
        return [self.what, shown, f"{self.bound:.2g} {self.unit}", met, self.remarks]


def python(*arguments: str, **more: str) -> str:
    """Return what a fresh interpreter prints, NaN where it fails."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=machine.environment(**more), capture_output=True, text=True, timeout=600
    )
    return done.stdout.strip() if done.returncode == 0 else "NaN"


def import_budget() -> Budget:
    """Measure the import."""
    seconds = min(float(python("-c", IMPORT)) for _ in range(IMPORTS))
    return Budget(
        "import of thresher and its engine", seconds, IMPORT_SECONDS, "s", f"best of {IMPORTS} processes"
    )


def call_budgets() -> list[Budget]:
    """Measure the first path of a process, without and with compiled loops on disk."""
    with tempfile.TemporaryDirectory() as cache:
        seconds = [float(python("-c", FIRST_CALL, NUMBA_CACHE_DIR=cache)) for _ in range(2)]
    rows = "100 values of C, dense SVM of 1000 rows, after the import"
    return [
        Budget("first call ever, nothing compiled", seconds[0], FIRST_SECONDS, "s", rows),
        Budget("first call of a process, compiled before", seconds[1], WARM_SECONDS, "s", rows),
    ]


def started(*arguments: str, folder: str) -> float:
    """Return the seconds that the command takes from its start to its end, NaN where it fails."""
    command = [sys.executable, "-m", "thresher", *arguments]
    begin = perf_counter()
    done = subprocess.run(command, cwd=folder, env=machine.environment(), capture_output=True, timeout=600)
    return perf_counter() - begin if done.returncode == 0 else float("nan")


def command_budgets() -> list[Budget]:
    """Measure the command line, with compiled loops on disk."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", TOY1], cwd=folder, check=True)
        helped = min(started("--help", folder=folder) for _ in range(IMPORTS))
        solved = min(started("path", "toy1.npz", "--Cs", "100", folder=folder) for _ in range(IMPORTS))
    best = f"whole process, best of {IMPORTS}"
    return [
        Budget("thresher --help", helped, HELP_SECONDS, "s", best),
        Budget("thresher path on toy1, 100 values of C", solved, COMMAND_SECONDS, "s", best),
    ]


def generated(form: str) -> tuple[Any, Any, int]:
    """Return X in one of the formats, labels, and X's bytes."""
    random = np.random.default_rng(0)
    if form == "csr":
        indices = np.tile(np.arange(0, COLUMNS, COLUMNS // ENTRIES, dtype=np.int32), ROWS)
        indices += random.integers(0, 2, indices.size, dtype=np.int32)
        indptr = np.arange(0, indices.size + 1, ENTRIES, dtype=np.int32)
        X = scipy.sparse.csr_matrix((random.standard_normal(indices.size), indices, indptr), (ROWS, COLUMNS))
        size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    else:
        X = random.standard_normal((ROWS, COLUMNS), dtype=np.dtype(form).type)
        size = X.nbytes
    score = np.asarray(X @ np.linspace(-1.0, 1.0, COLUMNS, dtype=X.dtype)) + random.standard_normal(ROWS)
    return X, np.where(score > 0.0, 1, -1).astype(np.int8), size


def resident(name: str) -> int:
    """Return a size in bytes that Linux keeps about this process: VmRSS or VmHWM."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return 1024 * int(found[1]) if found else 0


def watched(run: Callable[[], Result]) -> tuple[Result, float, float]:
    """Return what a run returns, its seconds, and the most memory it took besides what there was, in bytes.

    The memory is NaN where Linux does not tell.
    """
    references = Path("/proc/self/clear_refs")
    if references.exists():
        # Writing 5 sets the highest resident size back to the present one.
        references.write_text("5")
    before, begin = resident("VmRSS"), perf_counter()
    result = run()
    seconds = perf_counter() - begin
    extra = float(resident("VmHWM") - before) if references.exists() else float("nan")
    return result, seconds, extra


def print_memory(form: str) -> None:
    """Print the extra memory of a path as a share of X, and the path's seconds."""
    import thresher

    X, y, size = generated(form)
    thresher.svm_path(X[:1000], y[:1000], C=np.geomspace(1e-2, 10.0, 3), solver="newton")
    C = np.geomspace(1e-2, 10.0, VALUES)
    path, seconds, extra = watched(lambda: thresher.svm_path(X, y, C, tol=1e-9))
    share = extra / size
    print(json.dumps({"share": share, "seconds": seconds, "gap": float(path.gap.max()), "bytes": size}))


def memory_budget(form: str) -> Budget:
    """Measure the extra memory of a path in one format."""
    what = f"extra memory of a path, {form}, as share of X"
    if not Path("/proc/self/clear_refs").exists():
        return Budget(what, float("nan"), MEMORY_SHARE, "X", "not measured: needs Linux")
    text = python("-m", "benchmarks.budgets", "memory", form)
    if text == "NaN":
        return Budget(what, float("nan"), MEMORY_SHARE, "X", "not measured: the process failed")
    found = json.loads(text)
    remarks = (
        f"{ROWS:.0e} × {COLUMNS}, {found['bytes'] / 1e6:.0f} MB; {VALUES} values of C in "
        f"{found['seconds']:.2g} s, worst gap {found['gap']:.0e}"
    )
    return Budget(what, found["share"], MEMORY_SHARE, "X", remarks)


def path_budgets() -> list[Budget]:
    """Set the measured times of the six sets beside the prototype's."""
    budgets = []
    for name in PAPER:
        seconds = next((r.seconds for r in read(name) if r.default and r.complete), float("nan"))
        bound = PROTOTYPE_FACTOR * PROTOTYPE[name]
        remarks = f"{PROTOTYPE_FACTOR:g} times the prototype's {PROTOTYPE[name]:g} s"
        budgets.append(Budget(f"100 values of C, {name}", seconds, bound, "s", remarks))
    return budgets


def measure() -> list[Budget]:
    """Measure everything but the paths, which are read from the results, and keep the figures."""
    budgets = [
        import_budget(),
        *call_budgets(),
        *command_budgets(),
        *(memory_budget(form) for form in FORMATS),
    ]
    keep("budgets", budgets)
    return budgets + path_budgets()


def kept() -> list[Budget]:
    """Return the figures kept from the last time, with the paths' present ones."""
    file = RESULTS / "budgets.csv"
    if not file.is_file():
        return path_budgets()
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    budgets = [
        Budget(row["what"], float(row["measured"]), float(row["bound"]), row["unit"], row["remarks"])
        for row in rows
    ]
    return budgets + path_budgets()


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        print_memory(sys.argv[2])
    else:
        sys.exit("usage: python -m benchmarks.budgets memory " + "|".join(FORMATS))
