"""
Choosing C
==========

One path for every fold scores 100 values of C in the time of a few fits.
"""

import matplotlib.pyplot as plt
import numpy as np

import thresher as th

rng = np.random.default_rng(0)
y = np.where(np.arange(600) % 2, "spam", "ham")
X = rng.normal(size=(600, 60))
X[:, :4] += 0.3 * np.where(y == "spam", 1, -1)[:, None]

best = th.LinearSVCCV(Cs=100, cv=5).fit(X, y)
simple = th.LinearSVCCV(Cs=best.Cs_, cv=5, one_se=True).fit(X, y)
print(f"best mean accuracy at C = {best.C_:.3g}; within one standard error already at C = {simple.C_:.3g}")

# %%
# The scores, and the chosen C.

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
th.CVDisplay.from_estimator(simple, ax=axes)
plt.show()
