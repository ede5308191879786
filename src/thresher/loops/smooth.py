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

NEWTON_STEPS = 25
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
def clipped(theta: float, lower: float, upper: float, score: float, width: float) -> float:
    return min(max(theta + (upper - lower) * score / width, lower), upper)


@inner
def newton_system(
    A: Any, lower: Any, upper: Any, g: Any, C: float, w: Any, theta: Any, s: Any, width: float, r: Any, H: Any
) -> None:
    """R = -psi'(w) and H = its generalised Jacobian's lower triangle."""
    m, n = A.shape
    for j in range(n):
        r[j] = -(w[j] + C * g[j])
        for k in range(j):
            H[j, k] = 0.0
        H[j, j] = 1.0
    for i in range(m):
        value = clipped(theta[i], lower[i], upper[i], s[i], width)
        if lower[i] < value < upper[i]:
            curvature = C * (upper[i] - lower[i]) / width
            for j in range(n):
                product = curvature * A[i, j]
                for k in range(j + 1):
                    H[j, k] += product * A[i, k]
        if value != 0.0:
            for j in range(n):
                r[j] -= C * value * A[i, j]


@inner
def step_length(
    lower: Any, upper: Any, C: float, theta: Any, s: Any, v: Any, width: float, linear: float, square: float
) -> float:
    """Where psi'(w + t d) d, increasing and piecewise linear in t, has lost most of its slope.

    ``linear`` = <w + C g, d>, ``square`` = |d|^2, ``v`` = A d. Full steps are tried first; a bracket is
    then narrowed by safeguarded regula falsi.
    """
    t, low, high = 1.0, 0.0, -1.0
    at_low, at_high, first = 0.0, 0.0, 0.0
    for attempt in range(-1, SEARCH_STEPS):
        trial = 0.0 if attempt < 0 else t
        slope = linear + trial * square
        for i in range(v.size):
            slope += C * clipped(theta[i], lower[i], upper[i], s[i] + trial * v[i], width) * v[i]
        if attempt < 0:
            first = at_low = slope
            continue
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
def smooth(
    A: Any,
    o: Any,
    lower: Any,
    upper: Any,
    g: Any,
    C: float,
    w: Any,
    theta: Any,
    width: float,
    shrink: float,
    rounds: int,
    negligible: float,
) -> int:
    """Run ``rounds`` of the method from (w, theta), both updated in place; returns the Newton steps.

    A step that promises to lower psi by less than ``negligible`` ends its round.
    """
    m, n = A.shape
    s, v = np.empty(m), np.empty(m)
    r, d, H = np.empty(n), np.empty(n), np.empty((n, n))
    for i in range(m):
        total = o[i]
        for j in range(n):
            total += A[i, j] * w[j]
        s[i] = total
    steps = 0
    for _ in range(rounds):
        for _ in range(NEWTON_STEPS):
            newton_system(A, lower, upper, g, C, w, theta, s, width, r, H)
            cholesky_solve(H, r, d)
            promise, linear, square = 0.0, 0.0, 0.0
            for j in range(n):
                promise += 0.5 * r[j] * d[j]
                linear += (w[j] + C * g[j]) * d[j]
                square += d[j] * d[j]
            if promise <= negligible:
                break
            steps += 1
            for i in range(m):
                total = 0.0
                for j in range(n):
                    total += A[i, j] * d[j]
                v[i] = total
            t = step_length(lower, upper, C, theta, s, v, width, linear, square)
            for j in range(n):
                w[j] += t * d[j]
            for i in range(m):
                s[i] += t * v[i]
        for i in range(m):
            theta[i] = clipped(theta[i], lower[i], upper[i], s[i], width)
        width *= shrink
    return steps
