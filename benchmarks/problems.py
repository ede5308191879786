"""The data sets: real ones from the folder that THRESHER_DATA names, generated ones otherwise.

Every dense set has an explicit constant column, last, so all rivals solve the same model: no intercept of
their own, the constant's weight penalised like any other. The sparse sets are taken as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from thresher import datasets
from thresher.datasets import Dataset

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


def paper_set(name: str) -> Dataset:
    """Return one of the paper's sets; nothing is downloaded for a benchmark."""
    place = folder()
    if place is None:
        raise MissingSetError("THRESHER_DATA is not set")
    try:
        return datasets.load(name, place)
    except FileNotFoundError as missing:
        raise MissingSetError(str(missing)) from None


def sparse(stem: str) -> tuple[Any, Floats]:
    """Return X as CSR and y as float64."""
    content = arrays(stem)
    parts = (content["data"].astype(np.float64), content["indices"], content["indptr"])
    X = scipy.sparse.csr_matrix(parts, shape=tuple(content["shape"]))
    return X, content["y"].astype(np.float64)


def with_constant(X: Any) -> Any:
    """Return X with a column of ones added last."""
    ones = np.ones((X.shape[0], 1))
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(np.hstack([X, ones]))
    return scipy.sparse.hstack([X, ones], format="csr")


def dense_set(
    name: str,
    *,
    of: str | None = None,
    loss: str | None = None,
    scaled: bool = True,
    targets: bool = False,
    constant: bool = True,
) -> Data:
    """Return the set called ``of`` (``name`` if not given), for another loss than its own if asked for.

    Its columns are ``scaled`` or as they are, and so its ``targets``.
    """
    found = paper_set(of or name)
    X, y = found.standardised().X if scaled else found.X, found.y
    y = (y - y.mean()) / y.std() if targets else y
    return Data(name, with_constant(X) if constant else X, y, loss or found.loss)


def sparse_set(name: str, stem: str) -> Data:
    """Return one of the sparse sets."""
    X, y = sparse(stem)
    return Data(name, X, y, "hinge", SPARSE_TOL)


def sector(name: str) -> Data:
    """Return the classes up to 50 against the rest."""
    X, y = sparse("sector")
    return Data(name, X, np.where(y <= 50, 1.0, -1.0), "hinge", SPARSE_TOL)


def covtype_classes(name: str) -> Data:
    """Return all seven classes, without a constant column."""
    X, y = (arrays("covtype")[of].astype(np.float64) for of in ("X", "y"))
    found = Dataset(name, X, y, "hinge", "covtype.npz").standardised()
    return Data(name, found.X, y, found.loss)


def covtype(name: str) -> Data:
    """Return class 2 against the rest."""
    found = covtype_classes(name)
    return Data(name, with_constant(found.X), np.where(found.y == 2, 1.0, -1.0), found.loss)


def generated_svm(name: str) -> Data:
    """Return two overlapping classes."""
    found = datasets.classification(20_000, 20, distance=1.8)
    return Data(name, with_constant(found.X), found.y, found.loss)


def generated_lad(name: str) -> Data:
    """Return a linear model with heavy-tailed noise."""
    found = datasets.regression(20_000, 20)
    return Data(name, with_constant(found.X), found.y + 3.0, found.loss)


def generated_sparse(name: str) -> Data:
    """Return sparse rows of two classes."""
    random = np.random.default_rng(0)
    X = scipy.sparse.random(10_000, 300, density=0.05, format="csr", random_state=random)
    scores = X @ random.standard_normal(300) + 0.3 * random.standard_normal(X.shape[0])
    return Data(name, X, np.where(scores > 0.0, 1.0, -1.0), "hinge", SPARSE_TOL)


def _table(*entries: tuple[str, Callable[..., Data]]) -> dict[str, Callable[[], Data]]:
    return {name: partial(make, name) for name, make in entries}


PAPER: Final = _table(
    ("ijcnn1", partial(dense_set, scaled=False)),
    *((name, dense_set) for name in ("wine", "covtype_6v7", "magic")),
    *((name, partial(dense_set, targets=True)) for name in ("cpu_small", "houses")),
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
    ("houses_dollars", partial(dense_set, of="houses")),
    ("cpu_small_raw", partial(dense_set, of="cpu_small", scaled=False)),
    ("houses_raw", partial(dense_set, of="houses", scaled=False)),
)
GENERATED: Final = _table(
    ("generated_svm", generated_svm),
    ("generated_lad", generated_lad),
    ("generated_sparse", generated_sparse),
)
REAL: Final = {**PAPER, **SPARSE, **LARGE, **SCALES}
PROBLEMS: Final = {**REAL, **GENERATED}


def available(sets: Iterable[Callable[[], Data]], say: Callable[[str], None]) -> Iterator[Data]:
    """Yield the sets that are there, and say which are not."""
    for make in sets:
        try:
            data = make()
        except MissingSetError as missing:
            say(f"skipped: {missing}")
            continue
        yield data


def load(name: str) -> Data:
    """Return the set of that name, or raise MissingSetError."""
    if name not in PROBLEMS:
        raise ValueError(f"set must be one of {', '.join(PROBLEMS)}, got {name!r}")
    return PROBLEMS[name]()
