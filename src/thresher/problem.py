"""The problem: rows, offsets, box. Everything else is a function of these and of C.

[P]  P(w)     = 1/2 |w|^2 + C sum phi_i(s_i(w)),      s_i(w) = <z_i, w> + o_i
[D]  D(theta) = -1/2 |u(theta)|^2 + C sum theta_i o_i,  u(theta) = -C sum theta_i z_i
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from thresher import losses, validation
from thresher.certificate import Certificate
from thresher.fates import Fates, ReducedProblem
from thresher.frame import Frame, frame_of
from thresher.ledger import Ledger
from thresher.loops import passes
from thresher.loops.compiled import gamma
from thresher.loops.intercept import scan_free
from thresher.regions import Ball, length
from thresher.rows import Rows, as_rows
from thresher.rows.base import Floats, Indices

# Rows looked at together where a check makes them dense.
CHUNK = 1024
# a_i = 1 for all rows, as problems store it.
UNIT_SCALE: Any = np.ones(1, dtype=np.float32)

Intercept = Literal["none", "penalised", "free"]


@dataclass(frozen=True)
class KktResiduals:
    """How far a pair (w, theta) is from [KKT]; all zero at the optimum.

    ``stationarity`` is |w - u(theta)|, with C sum theta_i a_i as one more entry where the intercept is
    free, ``complementarity`` the largest phi_i(s_i) - theta_i s_i, ``box`` the largest distance of a
    theta_i from its interval.
    """

    stationarity: float
    complementarity: float
    box: float


@dataclass(frozen=True, eq=False)
class Problem:
    """A linear model with one-kink losses, for every C.

    Parameters
    ----------
    rows : array, sparse matrix or Rows
        The samples x_i. Not copied where the dtype is float64 or float32.
    offsets, lower, upper, scale : array or float
        o_i, the box of theta_i with sample weights folded in, and a_i in z_i = a_i x_i; one value for
        all rows, or one a row. Twice as many rows as samples let every sample in twice.
    intercept : "none", "penalised" or "free"
        "penalised" adds a constant column, as LIBLINEAR does; "free" an intercept that the penalty does
        not see, as LIBSVM does: [FREE].

    Examples
    --------
    >>> import thresher as th
    >>> problem = th.Problem([[1.0], [2.0]], offsets=[1.0, -1.0], lower=-1.0, upper=1.0, scale=-1.0)
    >>> problem.primal(problem.zero(), C=2.0)
    4.0
    """

    rows: Rows
    offsets: Floats
    lower: Floats
    upper: Floats
    scale: Floats = field(default_factory=lambda: np.ones(1))
    intercept: Intercept = "none"
    loss: str = "general"
    classes: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        if self.intercept not in get_args(Intercept):
            raise ValueError(f"intercept must be 'none', 'penalised' or 'free', got {self.intercept!r}")
        rows = as_rows(self.rows)
        values = {
            name: validation.per_row(getattr(self, name), name)
            for name in ("offsets", "lower", "upper", "scale")
        }
        validation.check_counts(rows.samples, {name: value.size for name, value in values.items()})
        validation.check_box(values["lower"], values["upper"])
        values["scale"] = validation.compact(values["scale"])
        for name, value in {"rows": rows, **values}.items():
            object.__setattr__(self, name, value)
        self._check_range()

    @classmethod
    def svm(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        intercept: Intercept = "none",
    ) -> Self:
        """Return the support vector machine: hinge loss, labels of any two classes.

        Examples
        --------
        >>> import thresher as th
        >>> th.Problem.svm([[1.0], [-2.0]], ["yes", "no"]).classes
        ('no', 'yes')
        """
        rows = as_rows(X)
        weights = validation.sample_weights(sample_weight, rows.samples)
        scale, classes = validation.binary_labels(y, rows.samples, weights)
        lower, upper = validation.weighted_box(losses.hinge, weights)
        return cls(rows, np.ones(1), lower, upper, scale, intercept, "hinge", classes)

    @classmethod
    def quantile(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        quantile: float = 0.5,
        sample_weight: ArrayLike | None = None,
        intercept: Intercept = "none",
    ) -> Self:
        """Return quantile regression: pinball loss.

        Examples
        --------
        >>> import thresher as th
        >>> th.Problem.quantile([[1.0], [2.0]], [1.0, 3.0], quantile=0.9).upper
        array([0.9])
        """
        return cls._regression(X, y, losses.pinball(quantile), "pinball", sample_weight, intercept)

    @classmethod
    def lad(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        intercept: Intercept = "none",
    ) -> Self:
        """Return least absolute deviations.

        Examples
        --------
        >>> import thresher as th
        >>> th.Problem.lad([[1.0], [2.0]], [1.0, 3.0]).loss
        'absolute'
        """
        return cls._regression(X, y, losses.absolute, "absolute", sample_weight, intercept)

    @classmethod
    def _regression(
        cls,
        X: Any,
        y: ArrayLike,
        loss: losses.Loss,
        name: str,
        sample_weight: ArrayLike | None,
        intercept: Intercept,
    ) -> Self:
        rows = as_rows(X)
        targets = validation.targets(y, rows.samples)
        weights = validation.sample_weights(sample_weight, rows.samples)
        lower, upper = validation.weighted_box(loss, weights)
        return cls(rows, targets, lower, upper, -np.ones(1), intercept, name)

    @classmethod
    def svr(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        epsilon: float = 0.1,
        sample_weight: ArrayLike | None = None,
        intercept: Intercept = "none",
    ) -> Self:
        """Return support vector regression: every sample enters as two hinges, one each way.

        Row i and row ``samples + i`` are sample i above and below its tube.

        Examples
        --------
        >>> import thresher as th
        >>> th.Problem.svr([[1.0], [2.0]], [1.0, 3.0], epsilon=0.5).size
        4
        """
        rows = as_rows(X)
        width = losses.insensitive(epsilon).epsilon
        targets = validation.targets(y, rows.samples)
        weights = validation.sample_weights(sample_weight, rows.samples)
        lower, upper = validation.weighted_box(losses.hinge, weights)
        return cls(
            rows,
            np.concatenate([targets - width, -targets - width]),
            lower if lower.size == 1 else np.tile(lower, 2),
            upper if upper.size == 1 else np.tile(upper, 2),
            np.repeat([-1.0, 1.0], rows.samples),
            intercept,
            "insensitive",
        )

    def _check_range(self) -> None:
        if not np.isfinite(self.sample_norms).all():
            raise ValueError("X holds values too large to square; scale its columns down")
        empty = np.flatnonzero(self.sample_norms == 0.0)
        for start in range(0, empty.size, CHUNK):
            piece = empty[start : start + CHUNK]
            if (self.rows.gather(UNIT_SCALE, piece, self.features) - self.frame.mean).any():
                raise ValueError("X holds rows of values too small to square; scale its columns up")

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return self.rows.samples

    @property
    def features(self) -> int:
        """How many features a sample has."""
        return self.rows.features

    @cached_property
    def size(self) -> int:
        """How many rows the problem has: the samples, or twice as many."""
        return max(self.samples, *(v.size for v in (self.offsets, self.lower, self.upper, self.scale)))

    @cached_property
    def dimension(self) -> int:
        """The length of w: the features, and the intercept last where there is one."""
        return self.frame.dimension

    @cached_property
    def frame(self) -> Frame:
        """The coordinates in which the penalty is half the square of all weights."""
        return frame_of(self.rows, self.intercept)

    @property
    def sample_norms(self) -> Floats:
        """|x_i| for every sample in the problem's frame, the constant column included."""
        return self.frame.norms

    @cached_property
    def mean_norm(self) -> float:
        """The mean of |x_i|."""
        return float(self.sample_norms.mean())

    @cached_property
    def longest(self) -> float:
        """The largest |x_i|."""
        return float(self.sample_norms.max())

    def norms(self) -> Floats:
        """Return |z_i| for every row in the problem's frame, the constant column included."""
        copies = self.size // self.samples
        norms = self.sample_norms if copies == 1 else np.tile(self.sample_norms, copies)
        return np.asarray(np.abs(self.scale) * norms)

    @staticmethod
    def own(values: Floats, index: Indices) -> Floats:
        """Return one of ``values`` for each row in ``index``, shared or not, as float64."""
        if values.size == 1:
            return np.full(index.size, values[0], dtype=np.float64)
        return values[index].astype(np.float64, copy=False)

    def box_of(self, index: Indices) -> tuple[Floats, Floats]:
        """Return lower and upper for the rows ``index`` (one value where all rows share it)."""
        return (
            self.lower[index] if self.lower.size > 1 else self.lower,
            self.upper[index] if self.upper.size > 1 else self.upper,
        )

    def zero(self) -> Floats:
        """Return w = 0."""
        return np.zeros(self.dimension)

    def dense_rows(self) -> Floats:
        """Return all z_i as one dense array, for small problems."""
        X = self.rows.to_dense()
        if self.dimension > self.features:
            X = np.column_stack([X, np.ones(self.samples)])
        return np.tile(X, (self.size // self.samples, 1)) * self.scale[:, None]

    def scores(self, w: Floats) -> Floats:
        """Return s_i(w) for every row."""
        weights = np.ascontiguousarray(w, dtype=np.float64)
        return self.rows.scores_at(self.scale, self.offsets, np.arange(self.size), weights)

    def image(self, theta: Floats, C: float) -> Floats:
        """Return u = -C sum theta_i z_i in the problem's frame."""
        return -C * self.frame.image(self.combination(theta))

    def combination(self, theta: Floats) -> Floats:
        """Return sum theta_i z_i, with sum theta_i a_i last where there is an intercept."""
        return self.rows.image(self.scale, np.arange(self.size), theta, self.dimension)

    def primal(self, w: Floats, C: float) -> float:
        """Return P(w): [P]."""
        scores = self.scores(w)
        loss = np.maximum(self.lower * scores, self.upper * scores)
        weights = self.frame.weights(w)
        return 0.5 * float(weights @ weights) + C * float(loss.sum())

    def dual(self, theta: Floats, C: float) -> float:
        """Return D(theta): [D]. With a free intercept sum theta_i a_i has to vanish: [FREE]."""
        u = self.image(theta, C)
        return C * float(np.sum(theta * self.offsets)) - 0.5 * float(u @ u)

    def gap(self, w: Floats, theta: Floats, C: float) -> float:
        """Return P(w) - D(theta) in the form that does not cancel: [GAP]."""
        return self.certify(w, theta, C).gap

    def residuals(self, w: Floats, theta: Floats, C: float) -> KktResiduals:
        """Return how far (w, theta) is from [KKT]."""
        scores = self.scores(w)
        complementarity = np.maximum(self.lower * scores, self.upper * scores) - theta * scores
        outside = np.maximum(theta - self.upper, self.lower - theta)
        total = self.combination(theta)
        distance = self.frame.weights(w) + C * self.frame.image(total)
        excess = C * total[-1] if self.frame.is_free else 0.0
        return KktResiduals(
            stationarity=math.hypot(length(distance), excess),
            complementarity=float(complementarity.max()),
            box=max(0.0, float(outside.max())),
        )

    def certify(self, w: ArrayLike, theta: ArrayLike, C: float) -> Certificate:
        """Return the certificate of any w and any theta in the box, whoever found them: [GAP].

        Examples
        --------
        >>> import numpy as np
        >>> import thresher as th
        >>> problem = th.Problem.lad([[1.0], [1.0]], [1.0, 3.0])
        >>> problem.certify([0.0], [1.0, 1.0], C=0.25).gap  # P = 1, D = 1 - 1/8
        0.125
        """
        w = np.ascontiguousarray(w, dtype=np.float64)
        theta = np.ascontiguousarray(theta, dtype=np.float64)
        if w.shape != (self.dimension,) or theta.shape != (self.size,):
            raise ValueError(
                f"w must have {self.dimension} entries and theta {self.size}, "
                f"got shapes {w.shape} and {theta.shape}"
            )
        if not ((theta >= self.lower) & (theta <= self.upper)).all():
            raise ValueError("theta must lie in the box [lower, upper]; clip it first")
        return Ledger(self).certify(w, np.arange(self.size), theta, C).certificate

    def arrays(self) -> tuple[Any, int, Floats, Floats, Floats, Floats]:
        """Return what every loop over rows takes first, see `loops.passes`."""
        return self.rows.data, self.samples, self.scale, self.offsets, self.lower, self.upper

    def everything(self) -> ReducedProblem:
        """Return the problem with every row FREE."""
        return Ledger(self).everything()

    def screen(self, region: Ball) -> ReducedProblem:
        """Return what is left when the rows whose fate the region proves are set aside."""
        return Ledger(self).screen(region)

    def fates_over(self, region: Ball) -> Fates:
        """Return the fates that a region proves."""
        fates = np.empty(self.size, dtype=np.int8)
        if self.frame.is_free and region.is_loose(self.mean_norm):
            self._between_quantiles(region, fates)
            return fates
        passes.scan(
            self.rows.data,
            self.samples,
            self.scale,
            self.offsets,
            self.sample_norms,
            self.frame.joined(region.centre, region.level_of(region.centre)),
            self.frame.joined(region.normal_of_cut(), 0.0),
            region.parameters(self.frame),
            fates,
        )
        return fates

    def _between_quantiles(self, region: Ball, fates: Fates) -> None:
        """Set the fates that hold for any intercept between two weighted quantiles: [FREE]."""
        error = gamma(self.dimension + 8)
        size = length(region.centre) + region.radius
        rounding = error * size, error, error * self.frame.shift(region.centre, 0.0)
        scan_free(
            *self.arrays(),
            self.sample_norms,
            self.frame.joined(region.centre, 0.0),
            np.array([region.radius, *rounding]),
            region.level_of(region.centre),
            fates,
        )
