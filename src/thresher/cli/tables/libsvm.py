"""LIBSVM's text: a label, then index:value for every entry that is not zero."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from thresher.cli.errors import DataError, reason
from thresher.cli.tables.base import Table


class Libsvm(Table):
    """Sparse rows; columns go by their index in the file, the label is the column ``label``."""

    default_target: ClassVar[str | None] = "label"

    def __init__(self, file: Path) -> None:
        from sklearn.datasets import load_svmlight_file

        try:
            self.X, self.labels = load_svmlight_file(str(file))
        except (ValueError, EOFError) as error:
            raise DataError(f"{file} is not LIBSVM text: {reason(error)}") from None
        if self.X.shape[0] == 0:
            raise DataError(f"{file} is empty")
        super().__init__(file, [str(k + 1) for k in range(self.X.shape[1])])

    def has(self, name: str) -> bool:
        return name == self.default_target or (name.isdecimal() and int(name) > 0)

    def matrix(self, names: Sequence[str]) -> Any:
        if list(names) == self.names:
            return self.X
        # A column that no row has an entry in may be missing from the file.
        self.X.resize(self.X.shape[0], max(self.X.shape[1], *map(int, names)))
        return self.X[:, [int(name) - 1 for name in names]]

    def column(self, name: str) -> NDArray[Any]:
        if name == self.default_target:
            labels: NDArray[Any] = self.labels
            return labels
        column: NDArray[Any] = self.matrix([name]).toarray().ravel()
        return column
