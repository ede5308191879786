"""
How long a proof lasts
======================

One certificate proves the fates of rows not only at its own C, but on an interval around it: the row's
lifetime. Here is what a single solution, at C = 0.1, says about all other values of C.
"""

import matplotlib.pyplot as plt
import numpy as np

import thresher as th

rng = np.random.default_rng(1)
y = np.repeat([-1, 1], 500)
X = rng.normal(size=(1000, 3)) + 0.9 * y[:, None]

problem = th.Problem.svm(X, y)
solution = th.solve_path(problem, [0.1], tol=1e-9)[0]
life = th.lifetimes(problem, solution.certificate)

# %%
# The share of rows that stay proven at every C.

C = np.geomspace(0.01, 1, 300)
lower, upper = (np.array([np.mean(life.at(c) == fate) for c in C]) for fate in (th.LOWER, th.UPPER))

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.stackplot(C, lower, upper, labels=["LOWER", "UPPER"], colors=["#4477aa", "#cc6677"])
axes.axvline(solution.C, color="black", linestyle="--", label="the solution")
axes.set(xscale="log", xlabel="C", ylabel="share of rows proven", ylim=(0, 1))
axes.legend(loc="upper right")
plt.show()
