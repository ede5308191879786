"""A working problem: chosen rows as a small dense problem, all other rows held at a bound."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thresher.fates import Reduced
from thresher.rows.base import Floats, Indices


@dataclass(frozen=True, eq=False)
class Working:
    """min 1/2 |w|^2 + C <linear, w> + C sum phi_k(<A_k, w> + offsets_k).

    ``basis`` leads back to the full space where columns were replaced by coordinates in it.
    """

    A: Floats
    offsets: Floats
    lower: Floats
    upper: Floats
    linear: Floats
    C: float
    basis: Floats | None = None

    def given(self, offsets: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats, float]:
        """Return what the loops take first, with ``offsets`` in place of its own."""
        return self.A, offsets, self.lower, self.upper, self.linear, self.C

    def inside(self, w: Floats) -> Floats:
        """Return w in the coordinates of this problem, as a copy."""
        return w.copy() if self.basis is None else self.basis.T @ w

    def outside(self, w: Floats) -> Floats:
        """Return w in the coordinates of the full problem."""
        return w if self.basis is None else self.basis @ w

    def scores(self, w: Floats) -> Floats:
        """Return the scores of the rows at w, in the coordinates of this problem."""
        return np.asarray(self.A @ w + self.offsets)

    def gap(self, w: Floats, theta: Floats) -> float:
        """Return the duality gap of a pair: [GAP]."""
        s = self.scores(w)
        terms = np.maximum(self.lower * s, self.upper * s) - theta * s
        difference = w + self.C * (self.linear + theta @ self.A)
        return 0.5 * float(difference @ difference) + self.C * float(terms.sum())

    def perturbed(self, share: float, w: Floats) -> Floats:
        """Return the offsets, each moved at random by up to ``share`` of its row's scale."""
        lengths = np.linalg.norm(self.A, axis=1)
        # A single row may move w by this much, which gives a scale where w and all offsets are zero.
        reach = self.C * float(((self.upper - self.lower) * lengths).max(initial=0.0))
        size = np.abs(self.offsets) + lengths * (float(np.linalg.norm(w)) + reach)
        noise = np.random.default_rng(0).uniform(-1.0, 1.0, size.size)
        offsets: Floats = self.offsets + share * size * noise
        return offsets

    def narrowed(self) -> Working:
        """Return the problem in coordinates of its rows' span, where that is the smaller space.

        The optimum -C (g + sum theta_k A_k) lies in the span of g and the rows.
        """
        m, n = self.A.shape
        if n <= m + 1:
            return self
        basis, _ = np.linalg.qr(np.vstack([self.A, self.linear]).T)
        return replace(
            self,
            A=np.ascontiguousarray(self.A @ basis),
            linear=basis.T @ self.linear,
            basis=basis,
        )


def working_problem(
    reduced: Reduced,
    C: float,
    rows: Indices,
    others: Floats,
    weight: float,
    max_memory: float,
) -> Working:
    """Return the problem on the free rows at ``rows``, each with ``weight``.

    ``others`` is sum theta_i z_i over the rows left out.
    """
    problem, index = reduced.problem, reduced.free[rows]
    needed = 8.0 * rows.size * problem.dimension
    if needed > max_memory:
        raise MemoryError(
            f"solver 'newton' needs {needed / 1e9:.1f} GB for {rows.size} dense working rows; "
            "use solver='descent' or raise Newton(max_memory=...)"
        )
    return Working(
        problem.rows.gather(problem.scale, index, problem.dimension),
        own(problem.offsets, index),
        weight * own(problem.lower, index),
        weight * own(problem.upper, index),
        reduced.linear + others,
        C,
    ).narrowed()


def own(values: Floats, index: Indices) -> Floats:
    """Return one value for each row in ``index``, shared or not."""
    return values[index] if values.size > 1 else np.full(index.size, values[0])
