"""The four losses as the formulas of docs/maths.md, written once more for the tests."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import thresher as th
from support import data

Array = NDArray[np.float64]

QUANTILE = 0.3
EPSILON = 0.25


class Parts(NamedTuple):
    """What the oracle takes, C apart."""

    Z: Array
    offsets: Array
    lower: Array
    upper: Array


class Model(NamedTuple):
    problem: Callable[..., th.Problem]
    path: Callable[..., th.Path]
    options: dict[str, float]
    classifies: bool

    def build(self, X: object, y: Array, **others: object) -> th.Problem:
        return self.problem(X, y, **self.options, **others)

    def data(self, rows: int = 120, columns: int = 6, seed: int = 0) -> tuple[Array, Array]:
        """Numbers that float32 holds exactly, so that every storage gets the same ones."""
        X, y = (data.classes if self.classifies else data.regression)(rows, columns, seed)
        return X.astype(np.float32).astype(np.float64), y


MODELS = {
    "hinge": Model(th.Problem.svm, th.svm_path, {}, True),
    "absolute": Model(th.Problem.lad, th.lad_path, {}, False),
    "pinball": Model(th.Problem.quantile, th.quantile_path, {"quantile": QUANTILE}, False),
    "insensitive": Model(th.Problem.svr, th.svr_path, {"epsilon": EPSILON}, False),
}


def parts(model: str, X: Array, y: Array, weight: Array | None = None, intercept: str = "none") -> Parts:
    """Rows, offsets and box of a model by its definition."""
    if intercept == "penalised":
        X = np.column_stack([X, np.ones(len(X))])
    weight = np.ones(len(y)) if weight is None else weight
    zero = np.zeros(len(y))
    match model:
        case "hinge":
            return Parts(-y[:, None] * X, np.ones(len(y)), zero, weight)
        case "absolute":
            return Parts(-X, y, -weight, weight)
        case "pinball":
            return Parts(-X, y, (QUANTILE - 1) * weight, QUANTILE * weight)
        case "insensitive":
            offsets = np.r_[y - EPSILON, -y - EPSILON]
            return Parts(np.vstack([-X, X]), offsets, np.r_[zero, zero], np.r_[weight, weight])
    raise KeyError(model)
