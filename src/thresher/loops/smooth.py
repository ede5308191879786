"""Semismooth Newton on the augmented Lagrangian of a working problem.

With multipliers theta and a width h, each kink is smoothed over the scores in which
theta_i + (upper_i - lower_i) s_i / h lies inside the box:

    psi(w) = 1/2 |w|^2 + C <g, w> + C sum_i smoothed phi_i(s_i)
    psi'(w) = w + C (g + sum_i clip(theta_i + (upper_i - lower_i) s_i / h) a_i)

psi is minimised by Newton steps, the multipliers move to the clipped values, and h shrinks. The penalty
is in units of the box over a width in score units, so the scale of the data does not matter.
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import inner, loop

SEARCH_STEPS = 30
# A line search that has taken the slope down tenfold has done its work (Newton does the rest).
SLOPE_LEFT = 0.1
# A pivot of the Cholesky factor below this share of its diagonal entry is rounding, not curvature.
PIVOT_FLOOR = 1e-14


@inner
def cholesky_solve(H: Any, right: Any, out: Any) -> None:
    """Solve H out = right for a positive definite H, given by its lower triangle, in place."""
    n = right.size
    for i in range(n):
        diagonal = H[i, i]
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            if i == j:
                H[i, i] = np.sqrt(max(total, PIVOT_FLOOR * diagonal))
            else:
                H[i, j] = total / H[j, j]
    for i in range(n):
        total = right[i]
        for k in range(i):
            total -= H[i, k] * out[k]
        out[i] = total / H[i, i]
    for i in range(n - 1, -1, -1):
        total = out[i]
        for k in range(i + 1, n):
            total -= H[k, i] * out[k]
        out[i] = total / H[i, i]


@inner
def clipped(theta: float, lower: float, upper: float, score: float, stiffness: float) -> float:
    """The multiplier that a score asks for, kept in its box."""
    return min(max(theta + (upper - lower) * stiffness * score, lower), upper)


@inner
def add_products(A: Any, rows: Any, weights: Any, count: int, H: Any) -> None:
    """H += sum over k < count of weights[k] a a' with a = A[rows[k]], lower triangle.

    Four rows at a time, the last ones filled up with weight zero: each entry of H is then read and
    written once for all four.
    """
    for k in range(count, count + 3):
        rows[k], weights[k] = 0, 0.0
    for start in range(0, count, 4):
        i0, i1, i2, i3 = rows[start], rows[start + 1], rows[start + 2], rows[start + 3]
        for j in range(A.shape[1]):
            x0, x1 = weights[start] * A[i0, j], weights[start + 1] * A[i1, j]
            x2, x3 = weights[start + 2] * A[i2, j], weights[start + 3] * A[i3, j]
            for k in range(j + 1):
                H[j, k] += x0 * A[i0, k] + x1 * A[i1, k] + x2 * A[i2, k] + x3 * A[i3, k]


@inner
def newton_system(
    given: Any,
    w: Any,
    theta: Any,
    s: Any,
    stiffness: float,
    r: Any,
    H: Any,
    rows: Any,
    weights: Any,
) -> None:
    """R = -psi'(w) and H = its generalised Jacobian, lower triangle; ``rows``, ``weights`` are scratch."""
    A, lower, upper, C = given.A, given.lower, given.upper, given.C
    m, n = A.shape
    for j in range(n):
        r[j] = -(w[j] + C * given.g[j])
        for k in range(j):
            H[j, k] = 0.0
        H[j, j] = 1.0
    count: Any = np.int64(0)
    for i in range(m):
        value = clipped(theta[i], lower[i], upper[i], s[i], stiffness)
        if lower[i] < value < upper[i]:
            rows[count] = i
            weights[count] = C * (upper[i] - lower[i]) * stiffness
            count += 1
        if value != 0.0:
            for j in range(n):
                r[j] -= C * value * A[i, j]
    add_products(A, rows, weights, count, H)


@inner
def step_length(
    given: Any,
    theta: Any,
    s: Any,
    v: Any,
    stiffness: float,
    linear: float,
    square: float,
    first: float,
) -> float:
    """Where psi'(w + t d) d, increasing and piecewise linear in t, has lost most of its slope.

    ``linear`` = <w + C g, d>, ``square`` = |d|^2, ``v`` = A d, ``first`` the slope at t = 0. Full steps
    are tried first; a bracket is then narrowed by safeguarded regula falsi.
    """
    lower, upper = given.lower, given.upper
    t, low, high = 1.0, 0.0, -1.0
    at_low, at_high = first, 0.0
    for _ in range(SEARCH_STEPS):
        total = 0.0
        for i in range(v.size):
            total += clipped(theta[i], lower[i], upper[i], s[i] + t * v[i], stiffness) * v[i]
        slope = linear + t * square + given.C * total
        if abs(slope) <= SLOPE_LEFT * abs(first):
            break
        if slope > 0.0:
            high, at_high = t, slope
        else:
            low, at_low = t, slope
            if high < 0.0:
                t *= 2.0
                continue
        gap = high - low
        t = (low * at_high - high * at_low) / (at_high - at_low)
        t = min(max(t, low + 0.1 * gap), high - 0.1 * gap)
    return t


@loop
def smooth(given: Any, w: Any, theta: Any, width: float, limit: int, negligible: float) -> tuple[int, bool]:
    """Minimise psi from w by at most ``limit`` Newton steps, in place; theta stays.

    Returns the steps, and whether they ended by themselves: at a step that promises to lower psi by less
    than ``negligible``.
    """
    A = given.A
    m, n = A.shape
    s, v, rows, weights = np.empty(m), np.empty(m), np.empty(m + 3, np.int64), np.empty(m + 3)
    r, d, H = np.empty(n), np.empty(n), np.empty((n, n))
    for i in range(m):
        total = given.o[i]
        for j in range(n):
            total += A[i, j] * w[j]
        s[i] = total
    stiffness = 1.0 / width
    for step in range(limit):
        newton_system(given, w, theta, s, stiffness, r, H, rows, weights)
        cholesky_solve(H, r, d)
        promise, linear, square = 0.0, 0.0, 0.0
        for j in range(n):
            promise += 0.5 * r[j] * d[j]
            linear += (w[j] + given.C * given.g[j]) * d[j]
            square += d[j] * d[j]
        if not negligible < promise < np.inf:  # an overflow ends it before it does harm
            return step, True
        for i in range(m):
            total = 0.0
            for j in range(n):
                total += A[i, j] * d[j]
            v[i] = total
        t = step_length(given, theta, s, v, stiffness, linear, square, -2.0 * promise)
        for j in range(n):
            w[j] += t * d[j]
        for i in range(m):
            s[i] += t * v[i]
    return limit, False
