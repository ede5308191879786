"""What all linear estimators share: parameters, checks, the solve, what is kept of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from thresher.centre import centred
from thresher.certificate import Certificate
from thresher.path import Path, solve_path
from thresher.problem import Intercept, Problem
from thresher.rows import Rows, as_rows
from thresher.rows.base import Floats, Indices
from thresher.solution import Solution
from thresher.solvers import Conjugate, Levelled, Newton, Solver, find_solver
from thresher.status import Status

# The kinds of intercept an estimator may be asked for, where it is to have one.
Kind = Literal["free", "penalised"]
# A gap at which weights agree to eight digits and more, however the same data is given (weight 2 or a row
# twice) and however the solution was come by. It costs a few pivots.
EXACT = 1e-20
POSITIVE = Interval(Real, 0.0, None, closed="neither")


@dataclass(frozen=True, eq=False)
class Model:
    """A solution without the data it was found on.

    ``dual`` has one entry a sample: coef is their combination, as in LIBSVM.
    """

    coef: Floats
    intercept: float
    dual: Floats
    gap: float
    iterations: int
    status: Status
    certificate: Certificate

    @classmethod
    def of(cls, solution: Solution) -> Model:
        """Return what an estimator keeps of a solution."""
        problem = solution.problem
        rows = -solution.C * np.broadcast_to(problem.scale, problem.size) * solution.theta
        return cls(
            solution.coef,
            solution.intercept,
            rows.reshape(-1, problem.samples).sum(axis=0),
            solution.gap_bound,
            solution.iterations,
            solution.status,
            solution.certificate,
        )


@dataclass(frozen=True, eq=False)
class Training:
    """What a fit is given, checked: the samples as users store them and as rows, targets or class numbers."""

    X: Any
    rows: Rows
    y: NDArray[Any]
    weights: Floats | None

    @classmethod
    def of(cls, X: Any, y: NDArray[Any], weights: Floats | None) -> Training:
        """Return the data with its rows made."""
        return cls(X, as_rows(X), y, weights)

    def take(self, samples: NDArray[np.int64]) -> Training:
        """Return a part of the data, copied."""
        weights = None if self.weights is None else self.weights[samples]
        return Training(None, self.rows.take(samples), self.y[samples], weights)


def checked(
    estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, **options: Any
) -> tuple[Any, Any, Floats | None]:
    """Return X as float64 or float32 in its format, y, and weights, by scikit-learn's rules."""
    dtype = [np.float64, np.float32]
    X, y = validate_data(estimator, X, y, accept_sparse="csr", dtype=dtype, **options)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return X, y, sample_weight


def limited(solver: Solver, steps: int) -> Solver:
    """Return the solver with its own kind of step limited: pivots of a working problem, epochs and steps."""
    if isinstance(solver, Newton):
        return replace(solver, max_pivots=steps)
    if isinstance(solver, Conjugate):
        return replace(solver, max_steps=steps)
    if isinstance(solver, Levelled):
        return replace(solver, inner=limited(solver.inner, steps), max_steps=steps)
    return solver


class LinearEstimator(BaseEstimator):
    """Parameters, checks and the solve; subclasses say which problems their data makes."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "tol": [Interval(Real, 0.0, 1.0, closed="neither")],
        "fit_intercept": ["boolean"],
        "intercept": [StrOptions({"free", "penalised"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
    }

    tol: float
    fit_intercept: bool
    intercept: Kind
    max_iter: int
    verbose: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _intercept_kind(self) -> Intercept:
        return self.intercept if self.fit_intercept else "none"

    def _solver(self, problem: Problem) -> Solver:
        """Return the solver that suits the problem, limited to ``max_iter``."""
        solver = limited(find_solver("auto", problem), int(self.max_iter))
        return replace(solver, exact=EXACT) if isinstance(solver, Newton) else solver

    def _path(self, problem: Problem, C: Floats) -> Path:
        """Return the path, with intercepts that do not depend on how they were found."""
        path = solve_path(problem, C, solver=self._solver(problem), tol=self.tol)
        return replace(path, solutions=[centred(solution, self.tol) for solution in path])

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Return what ``fit`` is given, checked."""
        raise NotImplementedError

    def _present(self, data: Training) -> Indices | None:
        """Return the numbers of the classes that have any weight, None in a regression."""
        return None

    def _problems(self, data: Training, classes: Indices | None = None) -> list[Problem]:
        """Return the problems whose solutions make the model, for these classes or for all."""
        raise NotImplementedError

    def _given_targets(self, data: Training) -> NDArray[Any]:
        """Return the targets as they were given."""
        return data.y

    def _outcomes(self, scores: NDArray[Any], classes: Indices | None) -> NDArray[Any]:
        """Return predictions, classes by number, from scores with the problems along the last axis."""
        outcomes: NDArray[Any] = scores[..., 0]
        return outcomes

    def _solve(self, problem: Problem, C: float, name: str) -> Model:
        """Return the model at one C: a single step from where the path begins is the fastest there is."""
        solution = self._path(problem, np.array([C]))[0]
        if self.verbose:
            self._say(name, solution)
        return Model.of(solution)

    def _say(self, name: str, solution: Solution) -> None:
        seconds, proven = solution.seconds["total"], sum(solution.screened)
        print(
            f"[{type(self).__name__}] {name}C={solution.C:g}: {solution.status}, relative gap "
            f"{solution.gap_bound:.1e}, {solution.iterations} steps, {seconds:.2g} s, "
            f"{proven:.1%} of the rows proven before the solve"
        )

    def _keep(self, models: list[Model], dtype: Any) -> None:
        """Set the fitted attributes that all estimators have."""
        duals = np.array([model.dual for model in models])
        self.support_ = np.flatnonzero(duals.any(axis=0))
        self.dual_coef_ = duals[:, self.support_].astype(dtype)
        self.coef_ = np.array([model.coef for model in models], dtype=dtype)
        self.intercept_ = np.array([model.intercept for model in models], dtype=dtype)
        self.n_iter_ = max(model.iterations for model in models)
        gaps, certificates = np.array([m.gap for m in models]), [m.certificate for m in models]
        self.dual_gap_ = gaps if len(models) > 1 else float(gaps[0])
        self.certificate_ = certificates if len(models) > 1 else certificates[0]

    def _warn(self, models: list[Model], C: float) -> None:
        """Say so if ``tol`` was not met."""
        missed = [model for model in models if not model.status.met]
        if missed:
            worst = max(missed, key=lambda model: model.gap)
            which = f" for {len(missed)} of {len(models)} classes" if len(models) > 1 else ""
            warnings.warn(
                f"{type(self).__name__} did not reach tol={self.tol:g} at C={C:g}{which}: the relative "
                f"duality gap is {worst.gap:.1e}, with max_iter={self.max_iter}. {worst.status.advice}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _scores(self, X: Any) -> Any:
        """Return <x, w> + b for every row of X and every class, dense."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
