"""A working problem: chosen rows as a small dense problem, all other rows held at a bound.

A free intercept b becomes one more weight by a proximal step: b = level + unit v, with half the square of
v added to the penalty. Solved again and again with the last b as the new level, that leads to the
optimum; the larger the unit, the fewer times.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.frame import Frame
from thresher.loops.csr import Csr
from thresher.loops.smooth import gap_of
from thresher.problem import Problem
from thresher.rows.base import Floats, Indices

# The unit of a free intercept, in lengths of the longest row. A proximal step leaves an error of about the
# square of its inverse; much more would cost digits.
UNIT = 100.0
# Multiplications in one compiled call at most, so that Ctrl-C is heard within a fraction of a second; and
# more steps than a problem takes.
CALL_WORK, MANY_STEPS = 5e8, 500


@dataclass(frozen=True, eq=False)
class Proximal:
    """A free intercept as the last of all weights v: b = level + unit v; row k has ``units[k]`` v in it."""

    frame: Frame
    units: Floats
    unit: float
    level: float


@dataclass(frozen=True, eq=False)
class Working:
    """min 1/2 |w|^2 + C <linear, w> + C sum phi_k(<a_k, w> + offsets_k), with the rows a_k as columns of A.

    ``basis`` leads back to the full space where columns were replaced by coordinates in it.
    """

    A: Any
    offsets: Floats
    lower: Floats
    upper: Floats
    linear: Floats
    C: float
    basis: Floats | None = None
    proximal: Proximal | None = None

    def given(self, offsets: Floats) -> tuple[Any, Floats, Floats, Floats, Floats, float]:
        """Return what the loops take first, with ``offsets`` in place of its own."""
        return self.A, offsets, self.lower, self.upper, self.linear, self.C

    @property
    def dimension(self) -> int:
        """The number of weights."""
        return self.linear.size

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are sparse."""
        return isinstance(self.A, Csr)

    @property
    def entries(self) -> int:
        """The number of entries that products with the rows go through."""
        return int(self.A.data.size if isinstance(self.A, Csr) else self.A.size)

    def calls(self, columns: float) -> int:
        """Return how many steps one compiled call may take that go over so many columns of each row."""
        return max(1, int(CALL_WORK / (self.entries * columns + self.dimension**3 / 8 + 1)))

    @property
    def is_small(self) -> bool:
        """Whether all steps that it takes may be taken in one call."""
        return not isinstance(self.A, Csr) and self.calls(2.0 + self.dimension / 16) > MANY_STEPS

    def scratch(self) -> Floats:
        """Return room for the loops that smooth: as much as dense rows take."""
        return np.empty((1, 1) if isinstance(self.A, Csr) else self.A.shape)

    def dense(self) -> Working:
        """Return the problem with dense rows, which pivoting needs."""
        if not isinstance(self.A, Csr):
            return self
        A = np.zeros((self.dimension, self.offsets.size))
        A[
            self.A.indices, np.repeat(np.arange(self.offsets.size), np.diff(self.A.indptr.astype(np.int64)))
        ] = self.A.data
        return replace(self, A=A)

    def inside(self, w: Floats) -> Floats:
        """Return w in the coordinates of this problem, as a copy; its free intercept is the level."""
        weights = w.copy() if self.proximal is None else np.append(self.proximal.frame.weights(w), 0.0)
        return weights if self.basis is None else self.basis.T @ weights

    def outside(self, w: Floats) -> Floats:
        """Return w in the coordinates of the full problem."""
        weights = w if self.basis is None else self.basis @ w
        if self.proximal is None:
            return weights
        level = self.proximal.level + self.proximal.unit * float(weights[-1])
        return self.proximal.frame.joined(weights[:-1], level)

    def step_of(self, w: Floats) -> float:
        """Return the proximal step of the intercept, which is zero at the optimum."""
        if self.proximal is None:
            return 0.0
        return float(w[-1] if self.basis is None else self.basis[-1] @ w)

    def is_settled(self, w: Floats, negligible: float) -> bool:
        """Say whether the last step costs no more than ``negligible``.

        It leaves C |sum a_i theta_i| = step / unit, which a row at the kink can take over: that moves the
        dual image by its length / unit times the step.
        """
        return (self.step_of(w) / UNIT) ** 2 <= negligible

    def stepped(self, w: Floats) -> Working:
        """Return the problem with the intercept of w as its level."""
        if self.proximal is None:
            return self
        step = self.step_of(w)
        proximal = replace(self.proximal, level=self.proximal.level + self.proximal.unit * step)
        return replace(self, offsets=self.offsets + proximal.units * step, proximal=proximal)

    def gap(self, w: Floats, theta: Floats) -> float:
        """Return the duality gap of a pair: [GAP]."""
        return gap_of(*self.given(self.offsets), w, theta)

    def perturbed(self, share: float, w: Floats) -> Floats:
        """Return the offsets, each moved at random by up to ``share`` of its row's scale."""
        lengths = np.linalg.norm(self.A, axis=0)
        # A single row may move w by this much, which gives a scale where w and all offsets are zero.
        reach = self.C * float(((self.upper - self.lower) * lengths).max(initial=0.0))
        size = np.abs(self.offsets) + lengths * (float(np.linalg.norm(w)) + reach)
        noise = np.random.default_rng(0).uniform(-1.0, 1.0, size.size)
        offsets: Floats = self.offsets + share * size * noise
        return offsets

    def narrowed(self) -> Working:
        """Return the problem in coordinates of its rows' span, where that is the smaller space.

        The optimum -C (g + sum theta_k a_k) lies in the span of g and the rows.
        """
        if self.dimension <= self.offsets.size + 1:
            return self
        self = self.dense()
        basis, _ = np.linalg.qr(np.column_stack([self.A, self.linear]))
        return replace(
            self,
            A=np.ascontiguousarray(basis.T @ self.A),
            linear=basis.T @ self.linear,
            basis=basis,
        )


def working_problem(
    problem: Problem,
    C: float,
    index: Indices,
    linear: Floats,
    w: Floats,
    weight: float,
    max_memory: float,
) -> Working:
    """Return the problem on the rows ``index``, each with ``weight``.

    ``linear`` is sum theta_i z_i over all other rows; w tells the level of a free intercept.
    """
    needed = 8.0 * index.size * problem.dimension
    if needed > max_memory:
        raise MemoryError(
            f"solver 'newton' needs {needed / 1e9:.1f} GB for {index.size} dense working rows; "
            "use solver='conjugate' or raise Newton(max_memory=...)"
        )
    is_free = problem.frame.is_free
    if is_free:  # rows are seen from their mean, which leaves none of them sparse
        A = problem.rows.gather(problem.scale, index, problem.dimension).T
    else:
        A = problem.rows.working(problem.scale, index, problem.dimension)
    offsets = problem.own(problem.offsets, index)
    lower, upper = (weight * problem.own(bound, index) for bound in (problem.lower, problem.upper))
    proximal = None
    if is_free:
        proximal = _proximal(problem, A, w)
        offsets = offsets + proximal.units * (proximal.level / proximal.unit)
        linear = np.append(problem.frame.image(linear), proximal.unit * linear[-1])
    return Working(A, offsets, lower, upper, linear, C, proximal=proximal).narrowed()


def _proximal(problem: Problem, A: Floats, w: Floats) -> Proximal:
    """Move the rows in A into the problem's frame, in place, and give their last entry the unit."""
    unit = unit_of(problem)
    A -= np.append(problem.frame.mean, 1.0 - unit)[:, None] * A[-1]
    return Proximal(problem.frame, A[-1].copy(), unit, problem.frame.level(w))


def unit_of(problem: Problem) -> float:
    """Return the unit of a free intercept."""
    return UNIT * problem.longest or 1.0
