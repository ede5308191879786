"""Semismooth Newton on the augmented Lagrangian of a working problem.

With multipliers theta and a width h, each kink is smoothed over the scores in which
theta_i + (upper_i - lower_i) s_i / h lies inside the box:

    psi(w) = 1/2 |w|^2 + C <g, w> + C sum_i smoothed phi_i(s_i)
    psi'(w) = w + C (g + sum_i clip(theta_i + (upper_i - lower_i) s_i / h) a_i)

psi is minimised by Newton steps, the multipliers move to the clipped values, and h shrinks. The penalty
is in units of the box over a width in score units, so the scale of the data does not matter.
"""

from typing import Any, NamedTuple

import numpy as np

from thresher.loops.cholesky import factor, mend, solve
from thresher.loops.compiled import inner, loop, part
from thresher.loops.pivot import Given
from thresher.loops.products import add_scores, add_squares, set_row, subtract_rows

# The first smoothing width is at least this share of the mean distance from the kink.
FIRST_WIDTH = 0.1
# What the width shrinks by in each round, how many rounds there are at least, and Newton steps in each (or as
# many as there are dimensions).
# Fewer rounds leave rows to be sorted out by pivoting, which costs more.
SHRINK, ROUNDS, NEWTON_STEPS = 0.2, 2, 25
# Without pivoting there are more rounds, and the width stays as long as a round leaves less of the gap.
MOST_ROUNDS, SLOW = 20, 0.3
# A width that a round did not get done with was too small, by a factor.
WIDEN = 25.0

SEARCH_STEPS = 30
# A round ends when a step promises less than this share of what the best one did.
INNER = 1e-6
# A line search that has taken the slope down tenfold has done its work (Newton does the rest).
SLOPE_LEFT = 0.1
# Up to one row in so many dimensions is let into the factor of the Jacobian, or out; more are cheaper anew.
MENDED = 24


class Scratch(NamedTuple):
    """Where Newton steps work.

    r, d, x are gradient, direction and a spare vector; R is the factor of the Jacobian, which is of the rows
    ``bent``; v are score rates, ``values`` the clipped multipliers, ``rows`` a list of rows, ``curved`` room
    for them, and ``promise`` holds the best that a step of this round has promised.
    """

    r: Any
    d: Any
    x: Any
    R: Any
    v: Any
    values: Any
    bent: Any
    rows: Any
    curved: Any
    promise: Any


@inner
def clipped(theta: float, lower: float, upper: float, score: float, stiffness: float) -> float:
    """The multiplier that a score asks for, kept in its box."""
    return min(max(theta + (upper - lower) * stiffness * score, lower), upper)


@part
def jacobian(given: Any, stiffness: float, own: Any) -> None:
    """R' R = I + C sum (upper_i - lower_i) stiffness a_i a_i' over the bent rows."""
    count: Any = np.int64(0)
    for i in range(own.bent.size):
        own.rows[count] = i
        count += own.bent[i]
    for k in range(count):
        i = own.rows[k]
        own.v[k] = np.sqrt(given.C * (given.upper[i] - given.lower[i]) * stiffness)
    add_squares(given.A, own.rows, own.v, count, own.curved, own.R)
    for j in range(own.r.size):
        own.R[j, j] += 1.0
    factor(own.R)


@part
def mend_jacobian(given: Any, stiffness: float, count: int, own: Any) -> None:
    """Let ``count`` of the ``rows`` bend, or straighten, one by one."""
    for k in range(count):
        i = own.rows[k]
        scale = np.sqrt(given.C * (given.upper[i] - given.lower[i]) * stiffness)
        first = set_row(given.A, i, scale, own.x)
        mend(own.R, own.x, first, 1.0 if own.bent[i] else -1.0)


@part
def newton_system(given: Any, w: Any, theta: Any, s: Any, stiffness: float, anew: bool, own: Any) -> None:
    """Set r = -psi'(w) and R, the factor of its generalised Jacobian: ``anew``, or from the last one."""
    lower, upper, values, C = given.lower, given.upper, own.values, given.C
    count: Any = np.int64(0)
    for i in range(s.size):
        value = clipped(theta[i], lower[i], upper[i], s[i], stiffness)
        values[i] = value
        bent = lower[i] < value < upper[i]
        own.rows[count] = i
        count += bent != own.bent[i]
        own.bent[i] = bent
    for j in range(w.size):
        own.r[j] = -(w[j] + C * given.g[j])
    subtract_rows(given.A, values, C, own.r)
    if anew or count > 1 + w.size // MENDED:
        jacobian(given, stiffness, own)
    else:
        mend_jacobian(given, stiffness, count, own)


@part
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


@inner
def scores_of(A: Any, o: Any, w: Any, s: Any) -> float:
    """S = A' w + o; returns the mean of |s|."""
    for i in range(s.size):
        s[i] = o[i]
    add_scores(A, w, s)
    total = 0.0
    for i in range(s.size):
        total += abs(s[i])
    return total / s.size


@part
def newton_step(
    given: Any, w: Any, theta: Any, s: Any, stiffness: float, anew: bool, negligible: float, own: Any
) -> bool:
    """One Newton step on psi with a line search; False if it promises less than ``negligible``."""
    C, r, d, v = given.C, own.r, own.d, own.v
    newton_system(given, w, theta, s, stiffness, anew, own)
    solve(own.R, r, d)
    promise, linear, square = 0.0, 0.0, 0.0
    for j in range(w.size):
        promise += 0.5 * r[j] * d[j]
        linear += (w[j] + C * given.g[j]) * d[j]
        square += d[j] * d[j]
    # The first step of a round sets what the others are held to; an overflow ends it before it does harm.
    own.promise[0] = max(own.promise[0], promise)
    if not max(negligible, INNER * own.promise[0]) < promise < np.inf:
        return False
    for i in range(s.size):
        v[i] = 0.0
    add_scores(given.A, d, v)
    t = step_length(given, theta, s, v, stiffness, linear, square, -2.0 * promise)
    for j in range(w.size):
        w[j] += t * d[j]
    for i in range(s.size):
        s[i] += t * v[i]
    return True


@part
def move_multipliers(given: Any, theta: Any, s: Any, stiffness: float) -> int:
    """Move theta to the clipped values; returns how many lie strictly inside their box."""
    inside = 0
    for i in range(s.size):
        theta[i] = clipped(theta[i], given.lower[i], given.upper[i], s[i], stiffness)
        inside += given.lower[i] < theta[i] < given.upper[i]
    return inside


@loop
def approach(
    A: Any,
    o: Any,
    lower: Any,
    upper: Any,
    g: Any,
    C: float,
    w: Any,
    theta: Any,
    state: Any,
    limit: int,
    least: float,
    enough: float,
    scratch: Any,
) -> tuple[int, bool]:
    """Come close to the optimum, w and theta in place, by at most ``limit`` Newton steps.

    A step that promises less than ``least`` ends a round. With ``enough`` = 0 there are a few rounds, from
    where pivoting goes on; otherwise as many as it takes to bring the gap down to that.

    ``state`` carries width, rounds done, steps of this round and the last gap from call to call. At first
    they are zero, but for the width, which is what it should be at least.
    Returns the steps, and whether all rounds are done. ``scratch`` has the shape of dense rows.
    """
    given = Given(A, o, lower, upper, g, C)
    n, m = w.size, o.size
    own = Scratch(
        np.empty(n),
        np.empty(n),
        np.zeros(n),
        np.empty((n, n)),
        np.empty(m),
        np.empty(m),
        np.zeros(m, np.bool_),
        np.empty(m + 1, np.int64),
        scratch,
        np.zeros(1),
    )
    s = np.empty(m)
    mean = scores_of(A, o, w, s)
    if state[1] + state[2] == 0.0:
        state[0] = max(state[0], FIRST_WIDTH * mean)
    steps, most = 0, max(NEWTON_STEPS, n)
    while state[0] > 0.0:
        stiffness = 1.0 / state[0]
        own.promise[0], anew = 0.0, True
        while state[2] < most:
            if steps == limit:
                return steps, False
            if not newton_step(given, w, theta, s, stiffness, anew, least, own):
                break
            steps, anew = steps + 1, False
            state[2] += 1.0
        inside = move_multipliers(given, theta, s, stiffness)
        gap = gap_at(given, w, s, theta, own.r) if enough > 0.0 else np.inf
        # Every further round costs less than sorting out by pivoting more rows than fit at the kink.
        rounds = MOST_ROUNDS if enough > 0.0 else ROUNDS if inside <= n else 2 * ROUNDS
        if state[2] >= most:
            state[0] *= WIDEN
        elif enough == 0.0 or gap > SLOW * state[3]:
            state[0] *= SHRINK
        state[1] += 1.0
        state[2], state[3] = 0.0, gap
        if gap <= enough or state[1] >= rounds:
            break
    return steps, True


@part
def gap_at(given: Any, w: Any, s: Any, theta: Any, u: Any) -> float:
    """The duality gap of a pair with scores s: [GAP]; sets u."""
    kappa, square = 0.0, 0.0
    for i in range(s.size):
        kappa += max(given.lower[i] * s[i], given.upper[i] * s[i]) - theta[i] * s[i]
    for j in range(w.size):
        u[j] = -given.C * given.g[j]
    subtract_rows(given.A, theta, given.C, u)
    for j in range(w.size):
        square += (w[j] - u[j]) ** 2
    return 0.5 * square + given.C * kappa


@loop
def gap_of(A: Any, o: Any, lower: Any, upper: Any, g: Any, C: float, w: Any, theta: Any) -> float:
    """The duality gap of a pair in the working problem: [GAP]."""
    s, u = np.empty(o.size), np.empty(w.size)
    scores_of(A, o, w, s)
    return gap_at(Given(A, o, lower, upper, g, C), w, s, theta, u)
