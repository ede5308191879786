"""What proves an optimum's whereabouts: a primal point, a dual image, and the loss gap between them.

=============  ============================================================================
symbol         meaning
=============  ============================================================================
w              any primal point: its penalised part, in the problem's `Frame`
u              -C sum theta_i z_i of a theta in the box, as computed
kappa          C sum phi_i(s_i(w)) - theta_i s_i(w), a sum of terms that are not negative
rounding       how much larger kappa may be than computed
u_error        how far u may be from the exact image of theta
level          the free intercept in the frame of w, 0 where there is none
anchor         what holds a free intercept, None where there is none
=============  ============================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.loops.compiled import EPSILON, UNDERFLOW, gamma
from thresher.loops.looks import Reach
from thresher.regions import Anchored, Ball, length

if TYPE_CHECKING:
    from thresher.anchor import Anchor
    from thresher.frame import Frame
    from thresher.problem import Problem
    from thresher.rows.base import Floats


@dataclass(frozen=True, eq=False)
class Certificate:
    """A pair (w, theta) at one C, reduced to what a proof needs: [GAP], [BALL], [CARRY]."""

    C: float
    w: Floats
    u: Floats
    kappa: float
    rounding: float = 0.0
    u_error: float = 0.0
    level: float = 0.0
    anchor: Anchor | None = None

    @cached_property
    def gap(self) -> float:
        """The duality gap P(w) - D(theta), as 1/2 |w - u|^2 + kappa and never by subtraction: [GAP]."""
        difference = self.w - self.u
        return 0.5 * float(difference @ difference) + self.kappa

    @cached_property
    def gap_bound(self) -> float:
        """The gap with every rounding counted against it."""
        distance = length(self.w - self.u) + self.u_error
        return 0.5 * distance * distance * (1.0 + gamma(self.w.size)) + self.kappa + self.rounding

    @property
    def distance(self) -> float:
        """How far w can be from the optimum at this C: sqrt(2 G), by strong convexity."""
        return math.sqrt(2.0 * self.gap_bound)

    def ball(self, C: float) -> Ball:
        """Return the ball that holds w*(C), for any C, larger or smaller: [BALL], [CARRY].

        Examples
        --------
        >>> import numpy as np
        >>> exact = Certificate(C=1.0, w=np.array([3.0, 4.0]), u=np.array([3.0, 4.0]), kappa=0.0)
        >>> round(exact.ball(1.2).radius, 6)  # |C - C0| / (2 C0) |w*|, the DVI ball of the paper
        0.5
        """
        if not C > 0.0:
            raise ValueError(f"C must be positive, got {C:g}")
        ratio = C / self.C
        carried = ratio * self.u
        centre = 0.5 * (self.w + carried)
        half = 0.5 * length(self.w - carried)
        radius = math.sqrt(half * half + ratio * (self.kappa + self.rounding) + UNDERFLOW)
        # u's error shifts the centre by half of itself and lengthens |w - u| / 2 by the other half.
        radius += ratio * self.u_error + EPSILON * (length(self.w) + length(carried))
        radius *= 1.0 + gamma(self.w.size + 8)
        if self.anchor is None:
            return Ball(centre, radius)
        return Anchored(centre, radius, self.anchor, C * self.anchor.weight)

    def square(self) -> tuple[float, float, float]:
        """Return A, B, D of a bound A rho^2 + B rho + D on the radius^2 at C = rho C0: [LIFE].

        Every rounding e is charged to it: (r + e rho)^2 is at most
        r^2 + e rho (|w| + rho |u| + 2 sqrt(rho kappa)) + e^2 rho^2, and 2 sqrt(rho) <= 1 + rho.
        """
        length_w, length_u, kappa = length(self.w), length(self.u), self.kappa + self.rounding
        slack = gamma(self.w.size + 8)
        error, root = self.u_error + slack * (length_u + length_w), math.sqrt(kappa)
        A = 0.25 * length_u * length_u * (1.0 + slack) + error * (length_u + root + error) + UNDERFLOW
        B = kappa - 0.5 * float(self.w @ self.u)
        B += slack * (length_w * length_u + kappa) + error * (length_w + root)
        D = 0.25 * length_w * length_w * (1.0 + slack) + UNDERFLOW
        return A, B, D

    def reach(self, C: float, frame: Frame, ball: Ball) -> Reach:
        """Return the ball at C as `loops.looks.prove` takes it, with w in place of u."""
        ratio, size, anchor = C / self.C, length(self.w), self.anchor
        slack = gamma(self.w.size + 8)
        radius = (ball.radius + 0.5 * ratio * length(self.w - self.u)) * (1.0 + slack)
        plain = Reach(0.5 * (1.0 + ratio), radius, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        if anchor is None:
            return plain
        place = length(anchor.place)
        return plain._replace(
            strength=C * anchor.weight,
            along=float(anchor.place @ self.w),
            place_offset=anchor.offset,
            place_norm=place,
            larger=1.0 + 4.0 * slack,
            shift=slack * (1.0 + ratio) * (frame.shift(self.w, self.level) + place * size)
            + anchor.error(plain.half * size + radius),
        )


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """For every row the fate that one certificate proves, and the open interval of C it proves it for.

    Rows of which nothing is proven at any C have fate 0 and an empty interval (since = until = NaN).
    """

    fates: NDArray[np.int8]
    since: Floats
    until: Floats

    def at(self, C: float) -> NDArray[np.int8]:
        """Return the fates that are proven at ``C``."""
        return np.where((self.since < C) & (self.until > C), self.fates, np.int8(0))


def lifetimes(problem: Problem, certificate: Certificate) -> Lifetimes:
    """Return up to which C, in both directions, the certificate proves each row's fate: [LIFE].

    With rho = C / C0 a row is certified while |p + rho q| exceeds the radius times |z_i|, that is where
    F(rho) = (p + rho q)^2 - |z_i|^2 (A rho^2 + B rho + D) is positive. F is concave, so that is one
    interval between its roots, and p + rho q keeps its sign on it. With a free intercept rows are seen
    from the anchor, for those C for which it holds: [ANCHOR].

    Examples
    --------
    >>> import numpy as np
    >>> import thresher as th
    >>> X, y = np.array([[2.0], [-1.0], [0.5]]), np.array([1, -1, 1])
    >>> problem = th.Problem.svm(X, y)
    >>> life = th.lifetimes(problem, th.solve_path(problem, [1.0])[0].certificate)
    >>> bool(life.at(1.0)[0] == th.LOWER)
    True
    """
    w, u, anchor = certificate.w, certificate.u, certificate.anchor
    if w.shape != problem.frame.weights(problem.zero()).shape:
        raise ValueError(f"the certificate is one of {w.size} weights, not of this problem's")
    rows = _rows_seen_from(problem, anchor)
    slack = gamma(w.size + 8)
    p, q = rows.offsets + 0.5 * rows.products(w), 0.5 * rows.products(u)
    length_w = length(w)
    A, B, D = certificate.square()
    rounding = slack * (np.abs(rows.offsets) + rows.norms * length_w) + rows.rounding(length_w)
    fates, since, until = _certified_intervals(p, q, rows.norms, A, B, D, rounding)
    if anchor is not None:
        low, high = _where_anchored(rows.distances * certificate.C * anchor.weight, A, B, D)
        since, until = np.maximum(since, low), np.minimum(until, high)
        nowhere = ~(since < until)
        fates[nowhere], since[nowhere], until[nowhere] = 0, np.nan, np.nan
    return Lifetimes(fates, since * certificate.C, until * certificate.C)


def _certified_intervals(
    p: Floats, q: Floats, norms: Floats, A: float, B: float, D: float, slack: Floats
) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Solve (|p + rho q| - slack)^2 > |z|^2 (A rho^2 + B rho + D) for rho > 0, row by row."""
    fates = np.zeros(p.size, dtype=np.int8)
    since, until = np.full(p.size, np.nan), np.full(p.size, np.nan)
    for sign in (np.int8(1), np.int8(-1)):
        # sign (p + rho q) - slack > 0 is part of the condition; p is moved towards the kink by slack.
        shifted, slope = sign * p - slack, sign * q
        low, high = _positive_between_roots(
            slope**2 - norms**2 * A, 2.0 * shifted * slope - norms**2 * B, shifted**2 - norms**2 * D
        )
        low, high = _where_line_positive(shifted, slope, low, high)
        proven = low < high
        fates[proven], since[proven], until[proven] = sign, low[proven], high[proven]
    return fates, since, until


# Roots are drawn in by this share of themselves, the discriminant's rounding by far.
ROOT_SLACK = 1e-7


def _positive_between_roots(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Return the interval of rho >= 0 on which the concave a rho^2 + b rho + c is positive."""
    a = np.minimum(a, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        root = np.sqrt(b * b - 4.0 * a * c)
        # The stable form: the large root by a sum of equal signs, the small one through the product.
        sum_ = -0.5 * (b + np.where(b >= 0.0, root, -root))
        first, second = sum_ / a, c / sum_
        low, high = np.fmin(first, second), np.fmax(first, second)
        linear = a == 0.0
        crossing = -c / b
        low = np.where(linear, np.where(b > 0.0, crossing, -np.inf), low)
        high = np.where(linear, np.where(b < 0.0, crossing, np.inf), high)
        constant = linear & (b == 0.0)
        low = np.where(constant, np.where(c > 0.0, 0.0, np.nan), low)
        high = np.where(constant, np.inf, high)
    low = np.maximum(low, 0.0) * (1.0 + ROOT_SLACK)
    return low, high * (1.0 - ROOT_SLACK)


def _where_line_positive(p: Floats, q: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the part of (low, high) on which p + rho q is positive."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        crossing = -p / q
    low = np.where(q > 0.0, np.maximum(low, crossing), low)
    high = np.where(q < 0.0, np.minimum(high, crossing), high)
    nowhere = (q == 0.0) & (p <= 0.0)
    return np.where(nowhere, np.nan, low), high


class _Seen(NamedTuple):
    """Rows as a certificate's proof sees them: from the anchor, where the intercept is free."""

    problem: Problem
    anchor: Anchor | None
    offsets: Floats
    distances: Floats

    @property
    def norms(self) -> Floats:
        """The lengths of the rows."""
        return np.asarray(np.abs(self.problem.scale) * self.distances)

    def products(self, weights: Floats) -> Floats:
        """Return the products of the rows with ``weights``."""
        level = 0.0 if self.anchor is None else -float(self.anchor.place @ weights)
        return self.problem.products(self.problem.frame.joined(weights, level))

    def rounding(self, size: float) -> Floats | float:
        """Return how far scores may be off besides what lengths and offsets account for."""
        if self.anchor is None:
            return 0.0
        shift = gamma(self.anchor.place.size + 8) * self.problem.frame.shift(self.anchor.place, 1.0)
        return np.abs(self.problem.scale) * (self.anchor.error(size) + shift * size)


def _rows_seen_from(problem: Problem, anchor: Anchor | None) -> _Seen:
    copies = problem.size // problem.samples
    norms = np.tile(problem.sample_norms, copies)
    if anchor is None:
        return _Seen(problem, None, np.broadcast_to(problem.offsets, problem.size), norms)
    along = problem.rows.scores_at(
        np.ones(1, dtype=problem.scale.dtype),
        np.zeros(1),
        np.arange(problem.size),
        problem.frame.joined(anchor.place, 0.0),
    )
    larger = 1.0 + gamma(anchor.place.size + 8)
    square = larger * (norms**2 + float(anchor.place @ anchor.place)) - 2.0 * along
    distances = np.sqrt(np.maximum(square, 0.0))
    return _Seen(problem, anchor, problem.offsets_at(-anchor.offset), distances)


def _where_anchored(strengths: Floats, A: float, B: float, D: float) -> tuple[Floats, Floats]:
    """Return the interval of rho on which A rho^2 + B rho + D <= (rho strength / 2)^2."""
    k = A - 0.25 * strengths**2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        root = np.sqrt(B * B - 4.0 * k * D)
        sum_ = -0.5 * (B + np.where(B >= 0.0, root, -root))
        first, second = sum_ / k, D / sum_
    falling = k < 0.0
    low = np.where(falling, np.fmax(first, second), np.fmin(first, second))
    high = np.where(falling, np.inf, np.fmax(first, second))
    return low * (1.0 + ROOT_SLACK), high * (1.0 - ROOT_SLACK)
