"""Counts what a rival warns of, which would otherwise fill the screen or be lost."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Warned:
    """Warnings by class."""

    counts: Counter[str] = field(default_factory=Counter)

    def sentence(self) -> str:
        """Return the counts in words, nothing where there are none."""
        return ", ".join(f"{count} {name}" for name, count in self.counts.items())


@contextmanager
def counted_warnings() -> Iterator[Warned]:
    """Collect the warnings of a block."""
    warned = Warned()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield warned
        warned.counts.update(entry.category.__name__ for entry in seen)
