"""
Screening rules compared
========================

DVI needs only the previous solution; SSNSV and ESSNSV also need the one at the largest C. All are safe: they
change the time, never the solution.
"""

import matplotlib.pyplot as plt
import numpy as np

import thresher as th

rng = np.random.default_rng(0)
y = np.repeat([-1, 1], 1000)
X = rng.normal(scale=0.75, size=(2000, 2)) + y[:, None]
C = np.geomspace(1e-2, 10, 100)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for rule in ("dvi", "essnsv", "ssnsv"):
    path = th.svm_path(X, y, C=C, rule=rule)
    axes.semilogx(path.C, path.screened.sum(axis=1), label=rule)
axes.set(xlabel="C", ylabel="share of rows proven before the solve", ylim=(0, 1.02))
axes.legend(loc="lower right")
plt.show()
