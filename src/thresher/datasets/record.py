"""What a data set is, wherever it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.problem import Intercept, Problem
from thresher.rows.base import Floats

Loss = Literal["hinge", "absolute"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples X, labels in {-1, +1} or targets y, the loss they are for, and where they come from."""

    name: str
    X: NDArray[Any] = field(repr=False)
    y: Floats = field(repr=False)
    loss: Loss
    source: str

    def problem(self, intercept: Intercept = "none") -> Problem:
        """Return the problem to solve: an SVM for the hinge, least absolute deviations otherwise.

        Examples
        --------
        >>> from thresher import datasets
        >>> datasets.toy1().problem().loss
        'hinge'
        """
        make = Problem.svm if self.loss == "hinge" else Problem.lad
        return make(self.X, self.y, intercept=intercept)

    def standardised(self) -> Dataset:
        """Return the set with columns of mean 0 and deviation 1, constant columns left out.

        Examples
        --------
        >>> from thresher import datasets
        >>> datasets.toy1().standardised().X.std(axis=0).round(6)
        array([1., 1.])
        """
        varying = self.X.max(axis=0) > self.X.min(axis=0)
        X = self.X[:, varying].astype(np.float64)
        X -= X.mean(axis=0)
        X /= X.std(axis=0)
        return replace(self, X=np.ascontiguousarray(X))
