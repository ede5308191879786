"""Files of rows, one format a module."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from thresher.cli.errors import DataError, UseError, reason
from thresher.cli.tables.arrays import Archive, OneArray
from thresher.cli.tables.base import Table, listed
from thresher.cli.tables.delimited import Delimited
from thresher.cli.tables.libsvm import Libsvm
from thresher.cli.tables.parquet import Parquet

__all__ = ["FORMATS", "Table", "listed", "opened_table"]

FORMATS: dict[str, Callable[[Path], Table]] = {
    "csv": Delimited,
    "libsvm": Libsvm,
    "npy": OneArray,
    "npz": Archive,
    "parquet": Parquet,
}
ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".npy": "npy",
    ".npz": "npz",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def format_of(file: Path) -> str:
    """Return the format that the file's name ends in, packed or not."""
    ending = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    if file.is_dir():
        return "parquet"
    if ending.lower() not in ENDINGS:
        raise UseError(f"{file}: the format is not clear from the name; say it with --format")
    return ENDINGS[ending.lower()]


def opened_table(file: Path, kind: str | None) -> Table:
    """Return the file's columns."""
    if not file.exists():
        raise UseError(f"{file}: there is no such file")
    table = FORMATS[kind or format_of(file)]
    try:
        return table(file)
    except OSError as error:
        raise DataError(f"{file} cannot be read: {reason(error)}") from None
