"""Rows of a file with their roles: what is predicted, what it is predicted from, what counts how much."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.cli.errors import DataError, UseError
from thresher.cli.tables import Table, listed, opened_table

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Source:
    """A file, and what the user says about its columns."""

    file: Path
    target: str | None = None
    weights: str | None = None
    drop: tuple[str, ...] = ()
    kind: str | None = None


@dataclass(frozen=True, eq=False)
class Data:
    """Rows as numbers, with the names of their columns, and targets and weights where there are any."""

    X: Any
    names: list[str]
    y: NDArray[Any] | None
    weights: Floats | None
    target: str | None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.X.shape[0])

    @property
    def targets(self) -> NDArray[Any]:
        """The targets of rows to learn from."""
        assert self.y is not None
        return self.y


def training_rows(source: Source) -> Data:
    """Return the rows to learn from."""
    generated = _generated(source)
    if generated is not None:
        return generated
    table = opened_table(source.file, source.kind)
    wanted = source.target or table.default_target
    if wanted is None:
        raise UseError(f"name the column to predict with --target; {source.file} has {listed(table.names)}")
    y, target = _target(table, wanted)
    weights, dropped = _weights(table, source), {target, *map(table.resolve, source.drop)}
    if source.weights is not None:
        dropped.add(table.resolve(source.weights))
    names = [name for name in table.names if name not in dropped]
    if not names:
        raise UseError(f"{source.file} has no column to predict from")
    return Data(_finite(table.matrix(names), names, source.file), names, y, weights, target)


def rows_like(source: Source, features: list[str], target: str | None) -> Data:
    """Return rows with the features of a model, and their targets where the file holds them."""
    table = opened_table(source.file, source.kind)
    missing = [name for name in features if not table.has(name)]
    if missing:
        raise UseError(f"{source.file} lacks columns that the model needs: {listed(missing)}")
    y = None
    if source.target is not None or (target is not None and table.has(target)):
        y, target = _target(table, source.target or str(target))
    return Data(_finite(table.matrix(features), features, source.file), features, y, None, target)


def _target(table: Table, wanted: str) -> tuple[NDArray[Any], str]:
    """Return the column to predict and its name; it may have a .npy file of its own."""
    if wanted.endswith(".npy") and not table.has(wanted):
        y = np.load(wanted, allow_pickle=False) if Path(wanted).is_file() else None
        if y is None:
            raise UseError(f"{wanted}: there is no such file")
        return y, wanted
    name = table.resolve(wanted)
    return _plain(table.column(name)), name


def _plain(y: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers as such: labels 1 and 2 rather than 1.0 and 2.0."""
    whole = y.dtype.kind == "f" and np.isfinite(y).all() and (np.abs(y) < 2**53).all()
    return y.astype(np.int64) if whole and (y == np.trunc(y)).all() else y


def _weights(table: Table, source: Source) -> Floats | None:
    if source.weights is None:
        return None
    values = table.column(table.resolve(source.weights))
    if values.dtype.kind not in "iufb":
        raise DataError(f"{source.file}: the weights in column {source.weights!r} are not numbers")
    return values.astype(np.float64)


def _finite(X: Any, names: list[str], file: Path) -> Any:
    """Return X, or say where it holds NaN or infinity."""
    values = X.data if hasattr(X, "tocoo") else X
    if np.isfinite(values).all():
        return X
    if hasattr(X, "tocoo"):
        entries = X.tocoo()
        place = int(np.flatnonzero(~np.isfinite(entries.data))[0])
        row, column = int(entries.row[place]), int(entries.col[place])
    else:
        row, column = (int(axis[0]) for axis in np.nonzero(~np.isfinite(X)))
    raise DataError(
        f"{file}: row {row} has no finite number in column {names[column]!r}; fill it in, or leave the row "
        "or the column (--drop) out"
    )


def _generated(source: Source) -> Data | None:
    """Return one of the built-in sets where the name of a set was given and no file has it."""
    name = str(source.file)
    if source.file.exists() or source.file.suffix or source.file.parent != Path():
        return None
    from thresher import datasets

    if name in ("toy1", "toy2", "toy3"):
        found = getattr(datasets, name)()
    elif name in datasets.NAMES:
        found = datasets.load(name)
    else:
        return None
    return Data(found.X, [str(k) for k in range(found.X.shape[1])], found.y, None, "y")
