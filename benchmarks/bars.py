"""A picture of the table: seconds for all values of C by set and rival, on a logarithmic scale."""

from __future__ import annotations

from pathlib import Path

from benchmarks.records import Record

# Rivals in the picture: the beginnings of their names, and what the legend calls them.
SHOWN = {
    "default": "thresher",
    "ReHLine 1e-06": "ReHLine, tol 1e-6",
    "ReHLine 1e-08": "ReHLine, tol 1e-8",
    "scikit-learn": "scikit-learn, default",
    "skglm": "skglm",
    "LIBSVM": "LIBSVM",
}


def draw(sets: dict[str, list[Record]], file: Path) -> None:
    """Draw a group of bars for every set; runs that did not finish are drawn to their limit, open."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(SHOWN)
    for k, (rival, label) in enumerate(SHOWN.items()):
        for place, records in enumerate(sets.values()):
            found = [one for one in records if (one.default if rival == "default" else one.rival == rival)]
            if not found or not found[0].ran:
                continue
            done = found[0].complete
            axes.bar(
                place + (k - len(SHOWN) / 2 + 0.5) * width,
                found[0].seconds,
                width,
                color=f"C{k}" if done else "none",
                edgecolor=f"C{k}",
                linestyle="-" if done else ":",
            )
        axes.bar(0, 0, color=f"C{k}", label=label)
    axes.set_yscale("log")
    axes.set_ylabel("seconds for all values of C")
    axes.set_xticks(range(len(sets)), list(sets), rotation=30, ha="right")
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.set_ylim(bottom=1e-2)
    figure.legend(loc="outside upper center", frameon=False, ncols=len(SHOWN), fontsize=9)
    figure.savefig(file, dpi=150)
