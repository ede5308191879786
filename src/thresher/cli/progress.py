"""How far a path is: points done, rows proven, gap, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from thresher.solution import Solution


def console() -> Console:
    """Return where progress is shown: nowhere unless a person looks on."""
    from rich.console import Console

    return Console(stderr=True)


@contextmanager
def path_progress(total: int) -> Iterator[Callable[[Solution], None] | None]:
    """Show a bar; what is yielded is to be called with every finished solution."""
    screen = console()
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("C={task.fields[C]}  rows proven {task.fields[proven]}  gap {task.fields[gap]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("path", total=total, C="…", proven="…", gap="…")

        def show(solution: Solution) -> None:
            bar.update(
                task,
                advance=1,
                C=f"{solution.C:.4g}",
                proven=f"{sum(solution.screened):.1%}",
                gap=f"{solution.gap_bound:.0e}",
            )

        yield show


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that work goes on where there are no steps to count."""
    screen = console()
    if not screen.is_terminal:
        yield
        return
    with screen.status(what):
        yield
