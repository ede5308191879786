"""
Quantiles that widen
====================

Quantile regression on features of our making. Each level is a model of its own, exact, and a free intercept
makes the share of rows below it what it says.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import SplineTransformer

import thresher as th

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 1500))
y = np.sin(x) + 0.3 * x + rng.normal(scale=0.1 + 0.12 * x)
X = SplineTransformer(n_knots=8, include_bias=False).fit_transform(x[:, None])

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
axes.scatter(x, y, s=4, color="0.75")
for quantile in (0.05, 0.25, 0.5, 0.75, 0.95):
    model = th.QuantileRegressor(quantile=quantile, C=1.0).fit(X, y)
    predicted = model.predict(X)
    axes.plot(x, predicted, label=f"{quantile:g}: {np.mean(y <= predicted):.1%} of rows below")
axes.set(xlabel="x", ylabel="y")
axes.legend()
plt.show()
