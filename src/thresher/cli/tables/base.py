"""What every file of rows can do, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from thresher.cli.errors import UseError

# Column names that an error lists.
SHOWN = 8


class Table:
    """Named columns of a file; a subclass reads one format."""

    # The target where the user names none, and the same for weights.
    default_target: ClassVar[str | None] = None

    def __init__(self, file: Path, names: Sequence[str]) -> None:
        self.file = file
        self.names = list(names)

    def matrix(self, names: Sequence[str]) -> Any:
        """Return these columns as an array or a CSR matrix of numbers."""
        raise NotImplementedError

    def column(self, name: str) -> NDArray[Any]:
        """Return one column, as numbers where all of it are numbers and as text otherwise."""
        raise NotImplementedError

    def has(self, name: str) -> bool:
        """Say whether there is such a column."""
        return name in self.names

    def resolve(self, wanted: str) -> str:
        """Return the column that the user means, by its name or else by its number."""
        if self.has(wanted):
            return wanted
        try:
            return self.names[int(wanted)]
        except (ValueError, IndexError):
            raise UseError(f"{self.file} has no column {wanted!r}; it has {listed(self.names)}") from None


def listed(names: Sequence[str]) -> str:
    """Return the first names, and how many there are where that is not all."""
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown}, … ({len(names)} columns)"
