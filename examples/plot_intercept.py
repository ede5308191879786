"""
A penalised intercept depends on the origin
===========================================

LIBLINEAR, and with it scikit-learn's ``LinearSVC``, penalises the intercept like any other coefficient. Move
the data away from the origin and that model gets worse; with a free intercept it stays the same.
"""

import matplotlib.pyplot as plt
import numpy as np

import thresher as th

rng = np.random.default_rng(0)
y = np.repeat([-1, 1], 300)
X = rng.normal(size=(600, 2)) + y[:, None]

shifts = np.linspace(0, 30, 16)
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for kind, colour in {"free": "#4477aa", "penalised": "#cc6677"}.items():
    models = [th.LinearSVC(C=0.01, intercept=kind).fit(X + shift, y) for shift in shifts]
    scores = [model.score(X + shift, y) for model, shift in zip(models, shifts, strict=True)]
    axes.plot(shifts, scores, "o-", color=colour, label=f'intercept="{kind}"')
axes.set(xlabel="how far the data lies from the origin", ylabel="training accuracy")
axes.legend()
plt.show()
