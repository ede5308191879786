"""
Least absolute deviations do not mind outliers
==============================================

An outlier is LOWER or UPPER: it pulls with weight one, however far away it is. Least squares follow it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

import thresher as th

rng = np.random.default_rng(0)
x = np.linspace(0, 10, 60)
y = 1.0 + 0.5 * x + rng.normal(scale=0.4, size=60)
y[-8:] -= 8.0
X = x[:, None]

absolute = th.LADRegressor(C=10.0).fit(X, y)
squares = LinearRegression().fit(X, y)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.scatter(x, y, s=14, color="0.6")
axes.plot(x, 1.0 + 0.5 * x, color="black", linestyle=":", label="the truth")
axes.plot(x, absolute.predict(X), color="#4477aa", label="least absolute deviations")
axes.plot(x, squares.predict(X), color="#cc6677", label="least squares")
axes.set(xlabel="x", ylabel="y")
axes.legend()
plt.show()
