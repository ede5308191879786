"""Pictures of a path, with matplotlib (extra ``plot``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from thresher.path import Path


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say which extra installs it."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'thresher[plot]'") from None
    return matplotlib.pyplot


def plot_path(path: Path) -> Any:
    """Draw the coefficients and the shares of rows proven along C."""
    order = np.argsort(path.C)
    C, coef, screened = path.C[order], path.coef[order], path.screened[order]
    figure, (top, bottom) = pyplot().subplots(2, 1, sharex=True, figsize=(7.0, 6.0), layout="constrained")
    top.plot(C, coef, linewidth=1.2)
    top.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
    top.set(ylabel="coefficient", xscale="log", title="Coefficients along C")
    bottom.stackplot(
        C,
        screened.T,
        labels=["proven LOWER", "proven UPPER"],
        colors=["#4477aa", "#cc6677"],
        alpha=0.85,
    )
    bottom.set(xlabel="C", ylabel="share of rows", ylim=(0.0, 1.0), title="Rows proven before each solve")
    bottom.margins(x=0.0)
    bottom.legend(loc="lower right")
    return figure
