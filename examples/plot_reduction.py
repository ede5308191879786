"""
The same optimum from fewer rows
================================

Rows with a proven fate can be merged into one, or left out. What remains has exactly the optimum of all rows,
for any solver that takes weights.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

import thresher as th

rng = np.random.default_rng(0)
y = np.repeat([-1, 1], 3000)
X = rng.normal(size=(6000, 5)) + 0.5 * y[:, None]

small = th.reduce(X, y, C=0.1, intercept="free")
on_all = SVC(kernel="linear", C=0.1, tol=1e-8).fit(X, y)
on_few = SVC(kernel="linear", C=0.1, tol=1e-8).fit(small.X, small.y, small.sample_weight)
print(f"{len(small.y)} of {len(y)} rows are left")
print(f"largest difference of the coefficients: {np.abs(on_all.coef_ - on_few.coef_).max():.0e}")

# %%
# For an interval of C, more rows are left: those that cross their kink somewhere in it.

ratios = np.geomspace(1, 10, 10)
left = [len(th.reduce(X, y, C=(0.1, 0.1 * ratio), intercept="free").y) for ratio in ratios]
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.plot(ratios, left, "o-", color="#4477aa")
axes.axhline(len(y), color="0.6", linestyle="--", label="all rows")
axes.set(xlabel="largest C / smallest C", ylabel="rows left", xscale="log", yscale="log")
axes.legend()
plt.show()
