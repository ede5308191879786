"""Active-set finish: exact minimisation of a working problem by pivoting on its kink rows.

    P(w) = 1/2 |w|^2 + C <g, w> + C sum_i max(lower_i s_i, upper_i s_i),  s = A w + o

A set of independent rows is held at the kink; every other row contributes the slope of its side. On
that face P is quadratic with the identity as Hessian, so a Newton step is minus the projected gradient.
The line search along it is exact and passes kinks for as long as P falls; the row at which it stops
joins the set. When the projected gradient vanishes, the kink rows' multipliers are theta; one outside
its box leaves the set to the bound it violates. P falls with every step of positive length.
"""

from typing import Any

import numpy as np

from thresher.loops.basis import append, combination, move_onto, project_out, remove
from thresher.loops.compiled import EPSILON, loop

OPTIMAL, STALLED = 0, 1
KINK = 2
# A row whose score barely moves along a direction is parallel to it up to rounding.
PARALLEL = 1e-13


@loop
def sift_down(keys: Any, rows: Any, position: int, count: int) -> None:
    """Restore the heap order (smallest key on top) below ``position``."""
    while True:
        child = 2 * position + 1
        if child >= count:
            return
        if child + 1 < count and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= keys[position]:
            return
        keys[child], keys[position] = keys[position], keys[child]
        rows[child], rows[position] = rows[position], rows[child]
        position = child


@loop
def refresh(
    A: Any, o: Any, lower: Any, upper: Any, g: Any, C: float, w: Any, s: Any, side: Any, q: Any
) -> float:
    """Recompute scores, sides and the gradient q of all that is smooth at w; returns q's rounding level."""
    m, n = A.shape
    level = 0.0
    for j in range(n):
        q[j] = w[j] + C * g[j]
        level += q[j] * q[j]
    level = np.sqrt(level)
    for i in range(m):
        total, square = o[i], 0.0
        for j in range(n):
            total += A[i, j] * w[j]
            square += A[i, j] * A[i, j]
        if side[i] == KINK:
            s[i] = 0.0
            continue
        s[i] = total
        side[i] = 1 if total > 0.0 else -1
        slope = C * (upper[i] if total > 0.0 else lower[i])
        if slope != 0.0:
            level += abs(slope) * np.sqrt(square)
            for j in range(n):
                q[j] += slope * A[i, j]
    return EPSILON * level


@loop
def hold_at_kink(A: Any, o: Any, Q: Any, R: Any, kinks: Any, count: int, w: Any, targets: Any) -> None:
    """Move w the shortest way to where the kink rows' scores vanish."""
    for k in range(count):
        total = o[kinks[k]]
        for j in range(w.size):
            total += A[kinks[k], j] * w[j]
        targets[k] = -total
    move_onto(Q, R, count, targets, w)


@loop
def worst_multiplier(
    A: Any, lower: Any, upper: Any, C: float, kinks: Any, count: int, multipliers: Any
) -> tuple[int, float]:
    """The kink row whose multiplier leaves its box by most, and how far that moves u: C |d theta| |a|."""
    worst, position = 0.0, -1
    for k in range(count):
        i = kinks[k]
        excess = max(multipliers[k] - upper[i], lower[i] - multipliers[k])
        if excess > 0.0:
            square = 0.0
            for j in range(A.shape[1]):
                square += A[i, j] * A[i, j]
            excess *= C * np.sqrt(square)
            if excess > worst:
                worst, position = excess, k
    return position, worst


@loop
def search(
    A: Any, lower: Any, upper: Any, C: float, p: Any, q: Any, s: Any, v: Any, side: Any, keys: Any, rows: Any
) -> tuple[float, int, int]:
    """Exact line search along -p; returns the step, the row that stops it (-1: none), the rows passed.

    The slope of P at step t is -|p|^2 (1 - t) plus C (upper - lower) |v| for every kink passed. Passed
    rows change sides, and q with them; v is left holding the scores' rate of change.
    """
    m, n = A.shape
    square = 0.0
    for j in range(n):
        square += p[j] * p[j]
    found = 0
    for i in range(m):
        rate, size = 0.0, 0.0
        for j in range(n):
            rate -= A[i, j] * p[j]
            size += A[i, j] * A[i, j]
        if side[i] == KINK or rate * rate <= PARALLEL * PARALLEL * size * square:
            v[i] = 0.0
            continue
        v[i] = rate
        if side[i] * rate < 0.0 and -s[i] / rate < 1.0:
            keys[found] = max(-s[i] / rate, 0.0)
            rows[found] = i
            found += 1
    for position in range(found // 2 - 1, -1, -1):
        sift_down(keys, rows, position, found)
    passed, rise = 0, 0.0
    while passed < found:
        t, i = keys[0], rows[0]
        if rise >= square * (1.0 - t):
            break
        rise += C * (upper[i] - lower[i]) * abs(v[i])
        if rise >= square * (1.0 - t):
            return t, i, passed
        slope = C * (lower[i] - upper[i]) * side[i]
        for j in range(n):
            q[j] += slope * A[i, j]
        side[i] = -side[i]
        passed += 1
        keys[0], rows[0] = keys[found - passed], rows[found - passed]
        sift_down(keys, rows, 0, found - passed)
    return (1.0 - rise / square if square > 0.0 else 0.0), -1, passed


@loop
def pivot(
    A: Any,
    o: Any,
    lower: Any,
    upper: Any,
    g: Any,
    C: float,
    w: Any,
    theta: Any,
    order: Any,
    negligible: float,
    limit: int,
) -> tuple[int, int]:
    """Minimise P from w, with the rows ``order`` (independent ones, in that order) first at the kink.

    ``w`` and ``theta`` are overwritten with the result. A gap of ``negligible`` is as good as none.
    Returns OPTIMAL or STALLED (``limit`` steps taken, or steps of length zero only), and the steps.
    """
    m, n = A.shape
    Q, R = np.zeros((n, n)), np.zeros((n, n))
    kinks, count = np.empty(n, np.int64), 0
    side = np.zeros(m, np.int8)
    s, v, keys, rows = np.empty(m), np.empty(m), np.empty(m), np.empty(m, np.int64)
    q, p, work = np.empty(n), np.empty(n), np.empty(n)
    coefficients, multipliers = np.empty(n), np.empty(n)
    for i in order:
        if append(Q, R, count, A, i, work, coefficients):
            kinks[count] = i
            side[i] = KINK
            count += 1
    hold_at_kink(A, o, Q, R, kinks, count, w, multipliers)
    floor = refresh(A, o, lower, upper, g, C, w, s, side, q)
    fresh, settled, idle, steps = True, False, 0, 0
    status = STALLED
    while steps < limit and idle <= 2 * n + 10:
        steps += 1
        p[:] = q
        project_out(Q, count, p, coefficients)
        square = 0.0
        for j in range(n):
            square += p[j] * p[j]
        if settled or count == n or 0.5 * square <= max(negligible, floor * floor):
            for k in range(count):
                coefficients[k] = -coefficients[k] / C
            combination(R, count, coefficients, multipliers)
            leaving, excess = worst_multiplier(A, lower, upper, C, kinks, count, multipliers)
            if leaving < 0 or 0.5 * excess * excess <= negligible:
                if fresh:
                    status = OPTIMAL
                    break
                # Thousands of updates have left their roundings: start over from what they found.
                hold_at_kink(A, o, Q, R, kinks, count, w, work)
                floor = refresh(A, o, lower, upper, g, C, w, s, side, q)
                fresh, settled = True, False
                continue
            i = kinks[leaving]
            above = multipliers[leaving] > upper[i]
            side[i] = 1 if above else -1
            slope = C * (upper[i] if above else lower[i])
            remove(Q, R, count, leaving)
            for k in range(leaving, count - 1):
                kinks[k] = kinks[k + 1]
            count -= 1
            for j in range(n):
                q[j] += slope * A[i, j]
                p[j] = q[j]
            project_out(Q, count, p, coefficients)
        t, joining, passed = search(A, lower, upper, C, p, q, s, v, side, keys, rows)
        fresh = False
        settled = joining < 0 and passed == 0
        idle = 0 if t > 0.0 else idle + 1
        for j in range(n):
            w[j] -= t * p[j]
            q[j] -= t * p[j]
        for i in range(m):
            s[i] += t * v[i]
        if joining >= 0 and append(Q, R, count, A, joining, work, coefficients):
            slope = C * (upper[joining] if side[joining] > 0 else lower[joining])
            for j in range(n):
                q[j] -= slope * A[joining, j]
            kinks[count] = joining
            side[joining] = KINK
            s[joining] = 0.0
            count += 1
    for i in range(m):
        theta[i] = upper[i] if side[i] > 0 else lower[i]
    for k in range(count):
        i = kinks[k]
        theta[i] = min(max(multipliers[k], lower[i]), upper[i])
    return status, steps
