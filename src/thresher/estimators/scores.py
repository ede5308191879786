"""Scores of held-out predictions for all values of C at once.

scikit-learn's scorers take one model at a time, 1.4 ms for the accuracy of 10,000 rows: for 100 values of C
and five folds that is longer than the paths take. The few that cross-validation mostly uses are computed here
for all columns of predictions together; all others go through scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.rows.base import Floats

# Takes y, predictions with one column for every C, and weights or None; returns a score for every C.
Scores = Callable[[NDArray[Any], NDArray[Any], Floats | None], Floats]


class Scoring(NamedTuple):
    """What C is chosen by where nothing is asked for: its name, as a scorer, and for all C at once."""

    name: str
    scorer: Any
    at_once: Scores


def accuracy(y: NDArray[Any], predictions: NDArray[Any], weights: Floats | None) -> Floats:
    """Return the share of predictions that are right."""
    return _mean(predictions == y[:, None], weights)


def r2(y: NDArray[Any], predictions: NDArray[Any], weights: Floats | None) -> Floats:
    """Return the share of the variance explained."""
    errors = _mean((y[:, None] - predictions) ** 2, weights)
    return np.asarray(1.0 - errors / _mean((y - np.average(y, weights=weights))[:, None] ** 2, weights))


def absolute(y: NDArray[Any], predictions: NDArray[Any], weights: Floats | None) -> Floats:
    """Return minus the mean absolute error."""
    return -_mean(np.abs(y[:, None] - predictions), weights)


def pinball(y: NDArray[Any], predictions: NDArray[Any], weights: Floats | None, quantile: float) -> Floats:
    """Return minus the mean pinball loss."""
    errors = y[:, None] - predictions
    return -_mean(np.maximum(quantile * errors, (quantile - 1.0) * errors), weights)


def _mean(values: NDArray[Any], weights: Floats | None) -> Floats:
    return np.asarray(np.average(values, axis=0, weights=weights), dtype=np.float64)


NAMED: dict[str, Scores] = {
    "accuracy": accuracy,
    "r2": r2,
    "neg_mean_absolute_error": absolute,
}


def pinball_of(quantile: float) -> Scores:
    """Return the pinball score of one quantile."""
    return partial(pinball, quantile=quantile)
