"""What an adapter is: it returns points and never scores them."""

from __future__ import annotations

from typing import Any, Protocol

from benchmarks.problems import Data, Floats


class Emit(Protocol):
    """Takes the point of the next C, in ascending order, and a lower bound on P where one is proven."""

    def __call__(self, w: Any, bound: float = ...) -> None: ...


class Rival(Protocol):
    """One way to solve a path."""

    @property
    def name(self) -> str:
        """What the tables call it."""
        ...

    @property
    def easier(self) -> str | None:
        """A rival that does less of the same: where it did not finish, this one is not tried."""
        ...

    def refuses(self, data: Data) -> str | None:
        """Say in one sentence why the rival cannot be run on a set, None where it can."""
        ...

    def solve(self, data: Data, C: Floats, emit: Emit) -> str:
        """Emit one point for every C, and return what should be said about the run, if anything."""
        ...
