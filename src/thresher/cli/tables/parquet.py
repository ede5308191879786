"""Parquet, read into memory; with the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.cli.errors import DataError, needed, reason
from thresher.cli.tables.base import Table


class Parquet(Table):
    """A Parquet file or a folder of them."""

    def __init__(self, file: Path) -> None:
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            raise needed("pyarrow", "parquet", "reading Parquet") from None
        try:
            self.table = parquet.read_table(file)
        except ArrowException as error:
            raise DataError(f"{file} is not a Parquet file, or it is damaged: {reason(error)}") from None
        if self.table.num_rows == 0:
            raise DataError(f"{file} has no rows")
        super().__init__(file, self.table.column_names)

    def matrix(self, names: Sequence[str]) -> NDArray[Any]:
        values = np.empty((self.table.num_rows, len(names)))
        for k, name in enumerate(names):
            column = self.column(name)
            if column.dtype.kind not in "iufb":
                raise DataError(
                    f"{self.file}: column {name!r} does not hold numbers, but "
                    f"{self.table.schema.field(name).type}; leave it out with --drop"
                )
            values[:, k] = column
        return values

    def column(self, name: str) -> NDArray[Any]:
        values: NDArray[Any] = self.table.column(name).to_numpy()
        return values if values.dtype.kind in "iufb" else values.astype(np.str_)
