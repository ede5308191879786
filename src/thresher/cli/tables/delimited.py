"""CSV and its relatives: a header, then lines of values with a delimiter between them."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from thresher.cli.errors import DataError
from thresher.cli.tables.base import Table

DELIMITERS = ",;\t|"


class Delimited(Table):
    """A CSV file, plain or with .gz; a first line of numbers only counts as a row."""

    def __init__(self, file: Path) -> None:
        with opened(file) as stream:
            first = stream.readline()
        if not first.strip():
            raise DataError(f"{file} is empty")
        self.delimiter = max(DELIMITERS, key=first.count)
        cells = next(csv.reader([first], delimiter=self.delimiter))
        self.header = 0 if all(is_number(cell) for cell in cells) else 1
        names = [cell.strip() for cell in cells] if self.header else [str(k) for k in range(len(cells))]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"{file} has two columns {twice!r}")
        super().__init__(file, names)

    def matrix(self, names: Sequence[str]) -> NDArray[Any]:
        return self._read(names, np.float64)

    def column(self, name: str) -> NDArray[Any]:
        text = self._read([name], np.str_)[:, 0]
        try:
            return text.astype(np.float64)
        except ValueError:
            return np.char.strip(text)

    def _read(self, names: Sequence[str], dtype: type[Any]) -> NDArray[Any]:
        columns = [self.names.index(name) for name in names]
        with opened(self.file) as stream:
            if not any(line.strip() for line in _skipped(stream, self.header)):
                raise DataError(f"{self.file} has no rows below its header")
        with opened(self.file) as stream:
            try:
                return np.loadtxt(
                    stream,
                    dtype=dtype,
                    delimiter=self.delimiter,
                    skiprows=self.header,
                    usecols=columns,
                    comments=None,
                    quotechar='"',
                    ndmin=2,
                )
            except ValueError as error:
                raise self._culprit(columns, dtype) or DataError(f"{self.file}: {error}") from None

    def _culprit(self, columns: list[int], dtype: type[Any]) -> DataError | None:
        """Return what is wrong, with its line, where reading all at once failed."""
        with opened(self.file) as stream:
            lines = csv.reader(stream, delimiter=self.delimiter)
            for cells in _skipped(lines, self.header):
                where = f"{self.file}, line {lines.line_num}"
                if cells and len(cells) != len(self.names):
                    return DataError(
                        f"{where}: {len(cells)} values where there are {len(self.names)} columns"
                    )
                for k in columns if cells and dtype is np.float64 else []:
                    if not is_number(cells[k]):
                        return DataError(
                            f"{where}: column {self.names[k]!r} holds {cells[k]!r}, which is not a number; "
                            "mend it, or leave the column out with --drop"
                        )
        return None


def _skipped(lines: Any, header: int) -> Iterator[Any]:
    for _ in range(header):
        next(lines)
    return iter(lines)


@contextmanager
def opened(file: Path) -> Iterator[IO[str]]:
    """Open text, packed or not; bytes that are no text are the data's fault."""
    unpack: Any = gzip.open if file.suffix == ".gz" else open
    try:
        with unpack(file, "rt", encoding="utf-8-sig", newline="") as stream:
            yield stream
    except UnicodeDecodeError:
        raise DataError(f"{file} is not text in UTF-8; is it another format? see --format") from None
    except (EOFError, gzip.BadGzipFile):
        raise DataError(f"{file} is a damaged .gz file") from None


def is_number(text: str) -> bool:
    """Say whether the text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
