"""
Which rows shape the model
==========================

A row beyond the margin is LOWER: the model would be the same without it. A row inside the margin or on
the wrong side is UPPER: it pulls with its full weight, wherever it is. Only the few rows at the kink decide
the rest.
"""

import matplotlib.pyplot as plt
import numpy as np

import thresher as th

rng = np.random.default_rng(3)
y = np.repeat([-1, 1], 150)
X = rng.normal(size=(300, 2)) + 1.3 * y[:, None]

path = th.svm_path(X, y, C=[1e-3, 1e-2, 1.0], intercept="free")
names = {th.LOWER: "LOWER", th.FREE: "at the kink", th.UPPER: "UPPER"}
colours = {th.LOWER: "#4477aa", th.FREE: "#b58900", th.UPPER: "#cc6677"}

figure, panels = plt.subplots(1, 3, figsize=(11, 3.8), sharey=True, layout="constrained")
for axes, solution in zip(panels, path, strict=True):
    for fate, name in names.items():
        rows = X[solution.fates == fate]
        axes.scatter(*rows.T, s=14 if fate else 60, color=colours[fate], label=name, zorder=1 + (fate == 0))
    grid = np.linspace(-5, 5, 50)
    field = solution.coef[0] * grid + solution.coef[1] * grid[:, None] + solution.intercept
    axes.contour(grid, grid, field, levels=[-1, 0, 1], colors="0.4", linestyles=["--", "-", "--"])
    axes.set(title=f"C = {solution.C:g}")
panels[-1].legend(loc="lower right")
plt.show()
