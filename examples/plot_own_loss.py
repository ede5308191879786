"""
A loss of your own
==================

Any loss with one kink will do, another one for every row if need be. Here, forecasting too little costs four
times as much as too much on working days, and half as much at weekends.
"""

import matplotlib.pyplot as plt
import numpy as np

import thresher as th

rng = np.random.default_rng(0)
day = np.arange(7 * 20)
weekend = day % 7 >= 5
demand = 10 + 0.05 * day - 4 * weekend + rng.gamma(2.0, 1.0, size=day.size)
X = np.column_stack([day / 100, weekend.astype(float)])

# The loss is phi(demand - forecast), with slope ``upper`` where too little was forecast.
problem = th.Problem(
    X, offsets=demand, lower=-1.0, upper=np.where(weekend, 0.5, 4.0), scale=-1.0, intercept="free"
)
solution = th.solve_path(problem, [10.0])[0]
forecast = X @ solution.coef + solution.intercept
print(f"proven relative gap: {solution.gap_bound:.0e}")

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.scatter(day, demand, s=12, c=np.where(weekend, "#cc6677", "#4477aa"))
axes.plot(day, forecast, color="black", linewidth=1)
axes.set(xlabel="day", ylabel="demand and forecast")
plt.show()
