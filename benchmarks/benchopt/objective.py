"""1/2 |w|^2 + C sum of losses, at the weights that a solver returns."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """Hinge or absolute loss, as the data asks for."""

    name = "Linear model with one kink"
    min_benchopt_version = "1.6"
    parameters = {"C": [0.01, 1.0]}  # noqa: RUF012, benchopt reads it so

    def set_data(self, X, y, loss):
        """Take the data."""
        self.X, self.y, self.loss = X, y, loss

    def get_objective(self):
        """Return what solvers are given."""
        return {"X": self.X, "y": self.y, "loss": self.loss, "C": self.C}

    def evaluate_result(self, w):
        """Return the objective at w."""
        predictions = self.X @ w
        hinge = self.loss == "hinge"
        losses = np.maximum(0.0, 1.0 - self.y * predictions) if hinge else np.abs(self.y - predictions)
        return {"value": 0.5 * float(w @ w) + self.C * float(losses.sum())}

    def get_one_result(self):
        """Return weights of the right shape."""
        return {"w": np.zeros(self.X.shape[1])}
