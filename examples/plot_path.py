"""
A whole path at once
====================

One call solves the SVM for 100 values of C. Before each solve, most rows are proven to lie on one side of
their kink; they cost the solver nothing. Every point comes with a bound on how far it is from the optimum.
"""

import numpy as np

import thresher as th

rng = np.random.default_rng(0)
y = np.repeat([-1, 1], 2000)
X = rng.normal(size=(4000, 8)) + np.linspace(0.0, 1.0, 8) * y[:, None]

path = th.svm_path(X, y, C=np.geomspace(1e-4, 1, 100), intercept="free")
print(f"largest relative gap: {path.gap_bound.max():.0e}")
print(f"rows proven before the solve, on average: {path.screened.sum(axis=1).mean():.1%}")

# %%
# Coefficients, and the share of rows proven LOWER and UPPER. ``path.report().save("path.html")`` writes a
# page to explore the same.

figure = path.plot()
