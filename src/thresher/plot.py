"""Pictures of a path, with matplotlib (extra ``plot``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from thresher.path import Path
    from thresher.rows.base import Floats


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say which extra installs it."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'thresher[plot]'") from None
    return matplotlib.pyplot


def draw_coefficients(axes: Any, C: Floats, coef: Any, **line: Any) -> list[Any]:
    """Draw one line a coefficient along C, in ascending order, and return the lines."""
    lines: list[Any] = axes.plot(C, coef, **{"linewidth": 1.2, **line})
    axes.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
    axes.set(ylabel="coefficient", xscale="log", title="Coefficients along C")
    axes.margins(x=0.0)
    return lines


def draw_shares(axes: Any, C: Floats, screened: Floats) -> None:
    """Draw the shares of rows proven below and above their kink along C."""
    axes.stackplot(
        C,
        screened.T,
        labels=["proven LOWER", "proven UPPER"],
        colors=["#4477aa", "#cc6677"],
        alpha=0.85,
    )
    axes.set(xlabel="C", ylabel="share of rows", ylim=(0.0, 1.0), xscale="log")
    axes.set(title="Rows proven before each solve")
    axes.margins(x=0.0)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def two_panels() -> Any:
    """Return a new figure's two axes, one above the other."""
    return pyplot().subplots(2, 1, sharex=True, figsize=(8.0, 6.0), layout="constrained")[1]


def plot_path(path: Path) -> Any:
    """Draw the coefficients and the shares of rows proven along C."""
    order = np.argsort(path.C)
    top, bottom = two_panels()
    draw_coefficients(top, path.C[order], path.coef[order])
    draw_shares(bottom, path.C[order], path.screened[order])
    return top.figure
