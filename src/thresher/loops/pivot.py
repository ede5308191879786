"""Active-set finish: exact minimisation of a working problem by pivoting on its kink rows.

A set of independent rows is held at the kink; every other row contributes the slope of its side. On
that face P is quadratic with the identity as Hessian, so a Newton step is minus the projected gradient.
The line search along it is exact and passes kinks for as long as P falls; the row at which it stops
joins the set. When the projected gradient vanishes, the kink rows' multipliers are theta; one outside
its box leaves the set for the bound it violates. P falls with every step of positive length.

    P(w) = 1/2 |w|^2 + C <g, w> + C sum_i max(lower_i s_i, upper_i s_i),  s = A' w + o

=============  =========  =========================================================================
symbol         shape      meaning
=============  =========  =========================================================================
A, o           (n, m), m  the working rows z_i, a column of A each, and their offsets
lower, upper   m          the box of theta
g              n          the linear term of all other rows
side           m          -1 or +1: the bound that theta_i is held at; KINK: held at s_i = 0
s, v           m          scores, and how fast they change along the search direction
norms          m          |z_i|
q, p           n          the gradient without the kink rows, and its part outside their span
Q, R           (n, n)     orthonormal basis of the kink rows and their coordinates in it
=============  =========  =========================================================================
"""

from typing import Any, NamedTuple

import numpy as np

from thresher.loops.basis import append, combination, move_onto, project_out, remove
from thresher.loops.compiled import EPSILON, inner, loop, part
from thresher.loops.products import add_columns, subtract_products

KINK = 2
# A row whose score barely moves along a direction is parallel to it up to rounding.
PARALLEL = 1e-13
# A step shorter than this share of |w| led nowhere: several rows meet in one kink.
IDLE = 1e-13


class Given(NamedTuple):
    """The working problem; never written to."""

    A: Any
    o: Any
    lower: Any
    upper: Any
    g: Any
    C: float


class Face(NamedTuple):
    """The face of P that w lies on: what evolves."""

    w: Any
    s: Any
    v: Any
    norms: Any
    side: Any
    q: Any
    p: Any
    Q: Any
    R: Any
    kinks: Any
    coefficients: Any
    multipliers: Any
    work: Any
    keys: Any
    rows: Any


@part
def face_of(given: Any, w: Any, theta: Any) -> Any:
    """A face without kink rows, on the sides ``theta`` is nearer to; ``w`` is used in place."""
    n, m = given.A.shape
    side, norms = np.empty(m, np.int8), np.zeros(m)
    for i in range(m):
        side[i] = 1 if theta[i] + theta[i] > given.lower[i] + given.upper[i] else -1
    for j in range(n):
        for i in range(m):
            norms[i] += given.A[j, i] ** 2
    for i in range(m):
        norms[i] = np.sqrt(norms[i])
    return Face(
        w,
        np.empty(m),
        np.empty(m),
        norms,
        side,
        np.zeros(n),
        np.empty(n),
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.empty(n, np.int64),
        np.empty(n),
        np.zeros(n),
        np.empty(n),
        np.empty(m),
        np.empty(m, np.int64),
    )


@inner
def hold(given: Any, face: Any, i: int, count: int) -> int:
    """Hold row ``i`` at the kink besides the ``count`` held, unless it depends on them.

    Returns how many are held then. The row takes the slope of its side out of q.
    """
    if not append(face.Q, face.R, count, given.A, i, face.work, face.coefficients):
        return count
    slope = given.C * (given.upper[i] if face.side[i] > 0 else given.lower[i])
    for j in range(face.q.size):
        face.q[j] -= slope * given.A[j, i]
    face.kinks[count] = i
    face.side[i] = KINK
    face.s[i] = 0.0
    return count + 1


@part
def renew(given: Any, face: Any, count: int) -> float:
    """Move w to where the kink rows' scores vanish; recompute scores, sides and q from w.

    Returns the rounding level of q.
    """
    A, w, q, s = given.A, face.w, face.q, face.s
    n, m = A.shape
    for k in range(count):
        i = face.kinks[k]
        total = given.o[i]
        for j in range(n):
            total += A[j, i] * w[j]
        face.work[k] = -total
    move_onto(face.Q, face.R, count, face.work, w)
    level, length = 0.0, 0.0
    for j in range(n):
        q[j] = w[j] + given.C * given.g[j]
        level += q[j] * q[j]
        length += w[j] * w[j]
    level, length = np.sqrt(level), np.sqrt(length)
    for i in range(m):
        s[i] = given.o[i]
    add_columns(A, w, s)
    slopes = face.v
    for i in range(m):
        if face.side[i] == KINK:
            s[i], slopes[i] = 0.0, 0.0
            continue
        # Rows that meet in the kink keep the side the line search found for them: the sign of a score
        # that is all rounding would send them back and forth for ever.
        if abs(s[i]) > (n + 4) * EPSILON * (abs(given.o[i]) + face.norms[i] * length):
            face.side[i] = 1 if s[i] > 0.0 else -1
        slopes[i] = given.C * (given.upper[i] if face.side[i] > 0 else given.lower[i])
        level += abs(slopes[i]) * face.norms[i]
    subtract_products(A, slopes, -1.0, q)
    return EPSILON * level


@part
def direct(face: Any, count: int) -> float:
    """Set p to the part of q outside the kink rows' span; returns |p|^2."""
    for j in range(face.p.size):
        face.p[j] = face.q[j]
    project_out(face.Q, count, face.p, face.coefficients)
    square = 0.0
    for j in range(face.p.size):
        square += face.p[j] * face.p[j]
    return square


@part
def find_multipliers(given: Any, face: Any, count: int) -> None:
    """Set the multipliers that solve q + C sum theta_i a_i = 0 in the kink rows' span.

    ``coefficients`` holds q in the coordinates of the basis, as `direct` leaves it.
    """
    for k in range(count):
        face.coefficients[k] = -face.coefficients[k] / given.C
    combination(face.R, count, face.coefficients, face.multipliers)


@part
def release(given: Any, face: Any, count: int, negligible: float) -> bool:
    """Let the kink row go whose multiplier leaves its box by most; False if none does.

    Clipping a multiplier that is d outside moves the dual image by C d |a|, which is worth half its
    square as a gap: below ``negligible`` it counts as inside.
    """
    A, C = given.A, given.C
    find_multipliers(given, face, count)
    worst: Any = 0.0
    leaving: Any = np.int64(-1)
    for k in range(count):
        i = face.kinks[k]
        excess = max(face.multipliers[k] - given.upper[i], given.lower[i] - face.multipliers[k])
        if excess > 0.0:
            excess *= C * face.norms[i]
            if excess > worst:
                worst, leaving = excess, k
    if leaving < 0 or 0.5 * worst * worst <= negligible:
        return False
    i = face.kinks[leaving]
    above = face.multipliers[leaving] > given.upper[i]
    face.side[i] = 1 if above else -1
    slope = C * (given.upper[i] if above else given.lower[i])
    for j in range(A.shape[0]):
        face.q[j] += slope * A[j, i]
    remove(face.Q, face.R, count, leaving)
    for k in range(leaving, count - 1):
        face.kinks[k] = face.kinks[k + 1]
    return True


@inner
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


@part
def crossings(given: Any, face: Any, square: float) -> int:
    """Set v along -p and make a heap of the steps below 1 at which rows cross their kink."""
    s, v, side = face.s, face.v, face.side
    found: Any = np.int64(0)
    for i in range(v.size):
        v[i] = 0.0
    add_columns(given.A, face.p, v)
    least = PARALLEL * np.sqrt(square)
    for i in range(v.size):
        rate = -v[i]
        if side[i] == KINK or abs(rate) <= least * face.norms[i]:
            v[i] = 0.0
            continue
        v[i] = rate
        if side[i] * rate < 0.0 and -s[i] / rate < 1.0:
            face.keys[found] = max(-s[i] / rate, 0.0)
            face.rows[found] = i
            found += 1
    for position in range(found // 2 - 1, -1, -1):
        sift_down(face.keys, face.rows, position, found)
    return found


@part
def advance(given: Any, face: Any, square: float) -> tuple[int, bool, bool]:
    """Minimise P along -p exactly.

    The slope of P at step t is -|p|^2 (1 - t) plus C (upper - lower) |v| for every kink passed. Returns
    the row at whose kink the step ends (-1: none), whether the step was a whole one (then p vanishes),
    and whether it moved.
    """
    A, C, w, q, p, side = given.A, given.C, face.w, face.q, face.p, face.side
    n, m = A.shape
    top: Any = np.int64(0)
    found = crossings(given, face, square)
    left, joining, rise, t = found, -1, 0.0, 1.0
    while left > 0:
        t, i = face.keys[0], face.rows[0]
        if rise >= square * (1.0 - t):
            break
        rise += C * (given.upper[i] - given.lower[i]) * abs(face.v[i])
        if rise >= square * (1.0 - t):
            joining = i
            break
        slope = C * (given.lower[i] - given.upper[i]) * side[i]
        for j in range(n):
            q[j] += slope * A[j, i]
        side[i] = -side[i]
        left -= 1
        face.keys[0], face.rows[0] = face.keys[left], face.rows[left]
        sift_down(face.keys, face.rows, top, left)
    if joining < 0:
        t = 1.0 - rise / square if square > 0.0 else 0.0
    moved, size = 0.0, 0.0
    for j in range(n):
        moved += (t * p[j]) ** 2
        size += w[j] ** 2
        w[j] -= t * p[j]
        q[j] -= t * p[j]
    for i in range(m):
        face.s[i] += t * face.v[i]
    whole = joining < 0 and left == found
    return joining, whole, moved > IDLE * IDLE * size


@part
def hold_inside(given: Any, face: Any, theta: Any) -> int:
    """Hold the rows strictly inside their box, those furthest from its ends first; returns how many."""
    found: Any = np.int64(0)
    for i in range(theta.size):
        inside = min(theta[i] - given.lower[i], given.upper[i] - theta[i])
        if inside > 0.0:
            face.keys[found] = -inside / (given.upper[i] - given.lower[i])
            face.rows[found] = i
            found += 1
    for position in range(found // 2 - 1, -1, -1):
        sift_down(face.keys, face.rows, position, found)
    count: Any = np.int64(0)
    top: Any = np.int64(0)
    while found > 0 and count < face.w.size:
        count = hold(given, face, face.rows[0], count)
        found -= 1
        face.keys[0], face.rows[0] = face.keys[found], face.rows[found]
        sift_down(face.keys, face.rows, top, found)
    return count


@part
def settle(given: Any, face: Any, count: int, theta: Any) -> None:
    """Write theta: the bound of each row's side, the clipped multipliers of the kink rows."""
    for i in range(theta.size):
        theta[i] = given.upper[i] if face.side[i] > 0 else given.lower[i]
    for k in range(count):
        i = face.kinks[k]
        theta[i] = min(max(face.multipliers[k], given.lower[i]), given.upper[i])


@loop
def minimise(
    A: Any,
    o: Any,
    lower: Any,
    upper: Any,
    g: Any,
    C: float,
    w: Any,
    theta: Any,
    negligible: float,
    limit: int,
    patience: int,
) -> tuple[int, bool]:
    """Minimise P from (w, theta), both updated in place; rows inside their box begin at the kink.

    A gap of ``negligible`` is as good as none. Returns the steps taken, and whether the optimum was
    reached; otherwise ``limit`` steps were taken, or ``patience`` in a row led nowhere.
    """
    given = Given(A, o, lower, upper, g, C)
    face = face_of(given, w, theta)
    count = hold_inside(given, face, theta)
    steps, idle, floor = 0, 0, 0.0
    stale, whole, released, optimal = True, False, False, False
    while not optimal and steps < limit and idle <= patience:
        fresh = stale
        if stale:
            # Updates leave their roundings: the start, and every optimum found by them, is made anew.
            floor, stale = renew(given, face, count), False
        square = direct(face, count)
        flat = whole or count == w.size or 0.5 * square <= max(negligible, floor * floor)
        if flat and not released:
            released = release(given, face, count, negligible)
            count -= released
            whole = False
            stale, optimal = not released, not released and fresh
        else:
            joining, whole, moved = advance(given, face, square)
            if joining >= 0:
                count = hold(given, face, joining, count)
            released = False
            steps += 1
            idle = 0 if moved else idle + 1
    if not optimal:
        direct(face, count)
        find_multipliers(given, face, count)
    settle(given, face, count, theta)
    return steps, optimal
