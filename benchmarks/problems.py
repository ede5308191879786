"""The data sets: real ones from the folder that THRESHER_DATA names, generated ones otherwise.

Every dense set has an explicit constant column, last, so all rivals solve the same model: no intercept of
their own, the constant's weight penalised like any other. The sparse sets are taken as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# The relative gap asked for on sets with many columns, where rivals are held to about as much.
SPARSE_TOL = 1e-6
# Rows a slice for warming up takes, half from each end of y.
SLICE = 300


@dataclass(frozen=True, eq=False)
class Data:
    """What a rival gets: rows, labels in -1, +1 or targets, and the loss; and the gap asked of thresher."""

    name: str
    X: Any
    y: Floats
    loss: str
    tol: float = 1e-9

    def slice(self) -> Data:
        """Return a few rows that hold both ends of y."""
        order = np.argsort(self.y, kind="stable")
        rows = np.sort(np.unique(np.concatenate([order[: SLICE // 2], order[-SLICE // 2 :]])))
        return Data(self.name, self.X[rows], self.y[rows], self.loss, self.tol)


class MissingSetError(Exception):
    """A data set that is not there."""


def folder() -> Path | None:
    """Return the folder of local data, None where there is none."""
    value = os.environ.get("THRESHER_DATA")
    return Path(value) if value else None


def arrays(stem: str) -> dict[str, Any]:
    """Read one file of the folder."""
    place = folder()
    if place is None:
        raise MissingSetError("THRESHER_DATA is not set")
    file = place / f"{stem}.npz"
    if not file.is_file():
        raise MissingSetError(f"{file.name} is not in the folder that THRESHER_DATA names")
    with np.load(file, allow_pickle=False) as content:
        return dict(content)


def dense(stem: str) -> tuple[Floats, Floats]:
    """Return X and y as float64."""
    content = arrays(stem)
    return content["X"].astype(np.float64), content["y"].astype(np.float64)


def sparse(stem: str) -> tuple[Any, Floats]:
    """Return X as CSR and y as float64."""
    content = arrays(stem)
    parts = (content["data"].astype(np.float64), content["indices"], content["indptr"])
    X = scipy.sparse.csr_matrix(parts, shape=tuple(content["shape"]))
    return X, content["y"].astype(np.float64)


def standardised(X: Floats) -> Floats:
    """Return the columns with mean 0 and deviation 1, without the constant ones."""
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    X = X - X.mean(axis=0)
    X /= X.std(axis=0)
    return X


def with_constant(X: Any) -> Any:
    """Return X with a column of ones added last."""
    ones = np.ones((X.shape[0], 1))
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(np.hstack([X, ones]))
    return scipy.sparse.hstack([X, ones], format="csr")


def dense_set(
    name: str, stem: str, loss: str, *, scaled: bool, targets: bool = False, constant: bool = True
) -> Data:
    """Return one of the dense sets, its columns ``scaled`` or as they are, and so its ``targets``."""
    X, y = dense(stem)
    X, y = standardised(X) if scaled else X, (y - y.mean()) / y.std() if targets else y
    return Data(name, with_constant(X) if constant else np.ascontiguousarray(X), y, loss)


def sparse_set(name: str, stem: str) -> Data:
    """Return one of the sparse sets."""
    X, y = sparse(stem)
    return Data(name, X, y, "hinge", SPARSE_TOL)


def sector(name: str) -> Data:
    """Return the classes up to 50 against the rest."""
    X, y = sparse("sector")
    return Data(name, X, np.where(y <= 50, 1.0, -1.0), "hinge", SPARSE_TOL)


def covtype(name: str) -> Data:
    """Return class 2 against the rest."""
    X, y = dense("covtype")
    return Data(name, with_constant(standardised(X)), np.where(y == 2, 1.0, -1.0), "hinge")


def generated_svm(name: str) -> Data:
    """Return two overlapping classes."""
    random = np.random.default_rng(0)
    y = np.where(random.random(20_000) < 0.5, -1.0, 1.0)
    X = random.standard_normal((y.size, 20)) + 0.2 * y[:, None]
    return Data(name, with_constant(X), y, "hinge")


def generated_lad(name: str) -> Data:
    """Return a linear model with heavy-tailed noise."""
    random = np.random.default_rng(0)
    X = random.standard_normal((20_000, 20))
    y = X @ random.standard_normal(20) + random.standard_t(2.0, X.shape[0]) + 3.0
    return Data(name, with_constant(X), y, "absolute")


def generated_sparse(name: str) -> Data:
    """Return sparse rows of two classes."""
    random = np.random.default_rng(0)
    X = scipy.sparse.random(10_000, 300, density=0.05, format="csr", random_state=random)
    scores = X @ random.standard_normal(300) + 0.3 * random.standard_normal(X.shape[0])
    return Data(name, X, np.where(scores > 0.0, 1.0, -1.0), "hinge", SPARSE_TOL)


def _table(*entries: tuple[str, Callable[..., Data]]) -> dict[str, Callable[[], Data]]:
    return {name: partial(make, name) for name, make in entries}


PAPER: Final = _table(
    ("ijcnn1", partial(dense_set, stem="ijcnn1", loss="hinge", scaled=False)),
    ("wine", partial(dense_set, stem="wine_quality_redwhite", loss="hinge", scaled=True)),
    ("covtype_6v7", partial(dense_set, stem="covtype_6v7", loss="hinge", scaled=True)),
    ("magic", partial(dense_set, stem="magic", loss="absolute", scaled=True)),
    ("cpu_small", partial(dense_set, stem="cpu_small", loss="absolute", scaled=True, targets=True)),
    ("houses", partial(dense_set, stem="houses", loss="absolute", scaled=True, targets=True)),
)
SPARSE: Final = _table(
    ("a9a", partial(sparse_set, stem="a9a")),
    ("w8a", partial(sparse_set, stem="w8a")),
    ("reuters_moneyfx", partial(sparse_set, stem="reuters_moneyfx")),
    ("sector", sector),
)
LARGE: Final = _table(("covtype", covtype))
SCALES: Final = _table(
    # In dollars the path is closed-form up to C = 0.7: the constant's weight, at most C times the number of
    # rows, is far from the median price there.
    ("houses_dollars", partial(dense_set, stem="houses", loss="absolute", scaled=True)),
    ("cpu_small_raw", partial(dense_set, stem="cpu_small", loss="absolute", scaled=False)),
    ("houses_raw", partial(dense_set, stem="houses", loss="absolute", scaled=False)),
)
GENERATED: Final = _table(
    ("generated_svm", generated_svm),
    ("generated_lad", generated_lad),
    ("generated_sparse", generated_sparse),
)
REAL: Final = {**PAPER, **SPARSE, **LARGE, **SCALES}
PROBLEMS: Final = {**REAL, **GENERATED}


def load(name: str) -> Data:
    """Return the set of that name, or raise MissingSetError."""
    if name not in PROBLEMS:
        raise ValueError(f"set must be one of {', '.join(PROBLEMS)}, got {name!r}")
    return PROBLEMS[name]()
