"""From data and options to problems: the one place that turns words on the command line into calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import thresher as th
from thresher.cli.data import Data, Floats
from thresher.cli.errors import UseError, data_errors
from thresher.cli.scaling import Scaling

LOSSES = ("hinge", "absolute", "pinball", "insensitive")
INTERCEPTS = ("free", "penalised", "none")
# The loss that each parameter belongs to, and its value by default.
PARAMETERS = {"quantile": ("pinball", 0.5), "epsilon": ("insensitive", 0.1)}


@dataclass(frozen=True)
class Task:
    """The model asked for: loss, intercept, scale of the columns, tolerance."""

    loss: str = "hinge"
    quantile: float | None = None
    epsilon: float | None = None
    intercept: Any = "free"
    standardise: bool = False
    tol: float = 1e-6

    def __post_init__(self) -> None:
        for name, (loss, _) in PARAMETERS.items():
            if getattr(self, name) is not None and self.loss != loss:
                raise UseError(f"--{name} goes with --loss {loss}, not with {self.loss}")

    @property
    def parameters(self) -> dict[str, float]:
        """The parameter of the loss, where it has one."""
        return {
            name: default if getattr(self, name) is None else getattr(self, name)
            for name, (loss, default) in PARAMETERS.items()
            if loss == self.loss
        }

    def scaled(self, X: Any) -> tuple[Any, Scaling]:
        """Return the columns as the solver is to see them, and the way back."""
        if not self.standardise:
            return X, Scaling.none(X)
        scaling = Scaling.of(X, centre=self.intercept != "none")
        return scaling.apply(X), scaling

    def problem(self, X: Any, y: NDArray[Any], weights: Floats | None) -> th.Problem:
        """Return the problem of two classes, or of a regression."""
        makers: dict[str, Any] = {
            "hinge": th.Problem.svm,
            "absolute": th.Problem.lad,
            "pinball": th.Problem.quantile,
            "insensitive": th.Problem.svr,
        }
        with data_errors():
            made: th.Problem = makers[self.loss](
                X, y, sample_weight=weights, intercept=self.intercept, **self.parameters
            )
        return made

    def problem_of(self, data: Data) -> tuple[th.Problem, Scaling]:
        """Return the one problem of the data, and the way back to its scale."""
        X, scaling = self.scaled(data.X)
        return self.problem(X, data.targets, data.weights), scaling


def grid_of(problem: th.Problem, wanted: int | Floats) -> Floats:
    """Return the values of C: those given, or so many from where the path begins to bend."""
    if isinstance(wanted, np.ndarray):
        return wanted
    from thresher.grid import automatic, outset

    return automatic(outset(problem), wanted)
