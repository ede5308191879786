"""Active-set finish: exact minimisation of a working problem by pivoting on its kink rows.

A set of independent rows is held at the kink; every other row contributes the slope of its side. On
that face P is quadratic with the identity as Hessian, so a Newton step is minus the projected gradient.
The line search along it is exact and passes kinks for as long as P falls; the row at which it stops
joins the set. When the projected gradient vanishes, the kink rows' multipliers are theta; one outside
its box leaves the set for the bound it violates. P falls with every step of positive length.
"""

from __future__ import annotations

import numpy as np

from thresher.loops.pivot import Given, advance, direct, face_of, hold, release, renew
from thresher.rows.base import Floats, Indices


def minimise(
    given: Given, w: Floats, theta: Floats, order: Indices, negligible: float, limit: int, patience: int
) -> tuple[int, bool]:
    """Minimise P from (w, theta), both updated in place, with the rows ``order`` first at the kink.

    A gap of ``negligible`` is as good as none. Returns the steps taken, and whether the optimum was
    reached; otherwise ``limit`` steps were taken, or ``patience`` in a row led nowhere.
    """
    face = face_of(given, w, theta)
    count = hold(given, face, order)
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
            count, whole, moved = advance(given, face, count, square)
            released = False
            steps, idle = steps + 1, 0 if moved else idle + 1
    held = face.kinks[:count]
    theta[:] = np.where(face.side > 0, given.upper, given.lower)
    theta[held] = np.clip(face.multipliers[:count], given.lower[held], given.upper[held])
    return steps, optimal
