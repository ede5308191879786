"""
How far off is LIBLINEAR?
=========================

scikit-learn's ``LinearSVC`` stops by a criterion that says little about the objective. thresher's dual values
are proven lower bounds, so they tell how far any other solver's answer is from the optimum.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import LinearSVC

import thresher as th

rng = np.random.default_rng(0)
y = np.repeat([-1, 1], 500)
X = (rng.normal(size=(1000, 6)) + 0.4 * y[:, None]) * [1, 1, 1, 5, 5, 5]

problem = th.Problem.svm(X, y)
path = th.solve_path(problem, np.geomspace(1e-3, 10, 15))

excess = []
for C, bound in zip(path.C, path.dual, strict=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = LinearSVC(loss="hinge", C=C, fit_intercept=False, random_state=0).fit(X, y)
    excess.append(problem.primal(peer.coef_.ravel(), C) / bound - 1)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.loglog(path.C, excess, "o-", color="#cc6677", label="LinearSVC, default tol and max_iter")
axes.loglog(path.C, path.gap_bound, "o-", color="#4477aa", label="thresher, proven")
axes.set(xlabel="C", ylabel="relative distance to the optimum, at most")
axes.legend()
plt.show()
