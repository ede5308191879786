"""What proves an optimum's whereabouts: a primal point, a dual image, and the loss gap between them.

=============  ============================================================================
symbol         meaning
=============  ============================================================================
w              any primal point
u              -C sum theta_i z_i of a theta in the box, as computed
kappa          C sum phi_i(s_i(w)) - theta_i s_i(w), a sum of terms that are not negative
rounding       how much larger kappa may be than computed
u_error        how far u may be from the exact image of theta
=============  ============================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.loops.compiled import EPSILON, UNDERFLOW, gamma
from thresher.regions import Ball, length

if TYPE_CHECKING:
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

    @cached_property
    def gap(self) -> float:
        """The duality gap P(w) - D(theta), as 1/2 |w - u|^2 + kappa and never by subtraction: [GAP]."""
        difference = self.w - self.u
        return 0.5 * float(difference @ difference) + self.kappa

    @cached_property
    def gap_bound(self) -> float:
        """The gap with every rounding counted against it."""
        distance = length(self.w - self.u) + self.u_error
        return 0.5 * distance**2 * (1.0 + gamma(self.w.size)) + self.kappa + self.rounding

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
        ratio = C / self.C
        carried = ratio * self.u
        centre = 0.5 * (self.w + carried)
        half = 0.5 * length(self.w - carried)
        radius = math.sqrt(half**2 + ratio * (self.kappa + self.rounding) + UNDERFLOW)
        # u's error shifts the centre by half of itself and lengthens |w - u| / 2 by the other half.
        radius += ratio * self.u_error + EPSILON * (length(self.w) + length(carried))
        return Ball(centre, radius * (1.0 + gamma(self.w.size + 8)))


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
    interval between its roots, and p + rho q keeps its sign on it.

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
    w, u = certificate.w, certificate.u
    norms = problem.norms()
    slack = gamma(w.size + 8)
    offsets = np.broadcast_to(problem.offsets, norms.shape)
    half = 0.5 * (problem.scores(w) - offsets)
    p, q = offsets + half, 0.5 * (problem.scores(u) - offsets)
    length_w, length_u = length(w), length(u)
    # Every rounding is charged to the radius: to D what does not grow with rho, to A what does.
    error = certificate.u_error + slack * length_u
    A = (0.5 * length_u + error) ** 2 * (1.0 + slack)
    B = (certificate.kappa + certificate.rounding - 0.5 * float(w @ u)) + 2.0 * slack * (
        length_w * length_u + certificate.kappa
    )
    B += length_w * error
    D = 0.25 * length_w**2 * (1.0 + slack)
    fates, since, until = _certified_intervals(
        p, q, norms, A, B, D, slack * (np.abs(offsets) + norms * length_w)
    )
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
