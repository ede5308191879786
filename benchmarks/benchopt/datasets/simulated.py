"""Two clouds for the hinge; a plane with heavy-tailed noise for the absolute loss."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    """Generated rows."""

    name = "simulated"
    parameters = {  # noqa: RUF012, benchopt reads it so
        "loss": ["hinge", "absolute"],
        "samples, features": [(10_000, 20), (500, 1000)],
        "seed": [0],
    }
    test_parameters = {"samples, features": [(100, 5)]}  # noqa: RUF012

    def get_data(self):
        """Return rows, labels or targets, and the loss."""
        rng = np.random.default_rng(self.seed)
        X = rng.normal(size=(self.samples, self.features))
        if self.loss == "hinge":
            y = np.where(np.arange(self.samples) % 2, 1.0, -1.0)
            X += y[:, None] / np.sqrt(self.features)
        else:
            y = X @ rng.normal(size=self.features) + rng.standard_t(2, size=self.samples)
        return {"X": X, "y": y, "loss": self.loss}
