"""From which C to which rows keep their fate, put together from the certificates of a whole path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher.cli.data import Floats
from thresher.report import kink_rows

NAMES = {-1: "LOWER", 0: "KINK", 1: "UPPER"}
Whole = NDArray[np.int64]


class Spans(NamedTuple):
    """For each span of C: the row, its fate, the ends, and the first and last C of the solutions it is from.

    LOWER and UPPER are proven for every C between the ends; KINK is what the solutions between the ends
    show, which proves nothing.
    """

    rows: Whole
    fates: NDArray[np.int8]
    since: Floats
    until: Floats
    first: Floats
    last: Floats

    def take(self, chosen: Any) -> Spans:
        """Return some of the spans."""
        return Spans(*(column[chosen] for column in self))


@dataclass(eq=False)
class _Open:
    """The span of every row that the next certificate may extend; fate 0 where there is none."""

    fates: NDArray[np.int8]
    since: Floats
    until: Floats
    first: Floats
    last: Floats

    @classmethod
    def nothing(cls, size: int) -> _Open:
        return cls(np.zeros(size, dtype=np.int8), *(np.full(size, np.nan) for _ in range(4)))

    def taken(self, rows: Whole) -> Spans:
        return Spans(
            rows, self.fates[rows], self.since[rows], self.until[rows], self.first[rows], self.last[rows]
        )

    def add(self, life: th.Lifetimes, C: float) -> Spans:
        """Extend spans by what the certificate at ``C`` proves, and return those that it cannot extend."""
        proven = life.fates != 0
        extended = proven & (self.fates == life.fates) & (life.since <= self.until)
        begun = proven & ~extended
        closed = self.taken(np.flatnonzero(begun & (self.fates != 0)))
        self.since[extended] = np.minimum(self.since, life.since)[extended]
        self.until[extended] = np.maximum(self.until, life.until)[extended]
        self.since[begun], self.until[begun] = life.since[begun], life.until[begun]
        self.fates[begun], self.first[begun], self.last[proven] = life.fates[begun], C, C
        return closed


def spans_of(path: th.Path) -> Spans:
    """Return all spans, by row and C."""
    ordered = sorted(path, key=lambda solution: solution.C)
    current = _Open.nothing(path.problem.size)
    lives = ((solution.C, th.lifetimes(path.problem, solution.certificate)) for solution in ordered)
    found = [current.add(life, C) for C, life in lives]
    found += [current.taken(np.flatnonzero(current.fates)), _kinks(ordered)]
    joined = Spans(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
    return joined.take(np.lexsort((joined.since, joined.rows)))


def _kinks(ordered: list[th.Solution]) -> Spans:
    """Return where rows are at their kink in one solution after the other."""
    at_kink = np.array([kink_rows(solution) for solution in ordered])
    C = np.array([solution.C for solution in ordered])
    edge = np.zeros((1, at_kink.shape[1]), dtype=np.int8)
    steps = np.diff(np.vstack([edge, at_kink.astype(np.int8), edge]), axis=0)
    begins, rows = (axis for axis in np.nonzero(steps.T == 1)[::-1])
    ends = np.nonzero(steps.T == -1)[1] - 1
    return Spans(rows, np.zeros(rows.size, dtype=np.int8), C[begins], C[ends], C[begins], C[ends])
