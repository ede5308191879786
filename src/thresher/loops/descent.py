"""Dual coordinate descent (Hsieh et al. 2008), on the undecided rows of any storage.

One step maximises the dual over theta_i alone: theta_i <- clip(theta_i + s_i(u) / (C |z_i|^2)), and u
moves with it. Rows at a bound whose score says they will stay there are left out (shrinking).
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import loop
from thresher.loops.passes import at, sample_of
from thresher.loops.storage import row_add, row_dot


@loop
def epochs(
    X: Any,
    samples: int,
    scale: Any,
    offsets: Any,
    lower: Any,
    upper: Any,
    norms: Any,
    index: Any,
    active: Any,
    state: Any,
    C: float,
    u: Any,
    theta: Any,
    count: int,
    shuffle: bool,
    shrink: bool,
) -> int:
    """Run ``count`` epochs over the rows ``index[active]``; returns how many were run.

    ``u``, ``theta`` and the order in ``active`` change in place. ``state`` carries, from call to call,
    the number of active rows, the random state, and the largest violation that the last epoch saw on
    either side: what a row has to exceed, at its bound, to be left out. An epoch with nothing left to do
    ends the call.
    """
    remaining = np.int64(state[0])
    random = np.uint64(state[1])
    ceiling, ground = state[2], state[3]
    done = 0
    for _ in range(count):
        if remaining == 0:
            break
        done += 1
        highest, lowest = -np.inf, np.inf
        if shuffle:
            for k in range(remaining - 1, 0, -1):
                random ^= random << np.uint64(13)
                random ^= random >> np.uint64(7)
                random ^= random << np.uint64(17)
                other = np.int64(random % np.uint64(k + 1))
                active[k], active[other] = active[other], active[k]
        k = 0
        while k < remaining:
            r = active[k]
            i = index[r]
            sample = sample_of(i, samples)
            factor = at(scale, i)
            low, high = at(lower, i), at(upper, i)
            score = factor * row_dot(X, sample, u) + at(offsets, i)
            old = theta[r]
            if shrink and ((old == high and score > ceiling) or (old == low and score < ground)):
                remaining -= 1
                active[k], active[remaining] = active[remaining], active[k]
                continue
            k += 1
            # The violation: how far the score still pulls theta inside its box.
            pull = score
            if (old == high and score > 0.0) or (old == low and score < 0.0):
                pull = 0.0
            highest = max(highest, pull)
            lowest = min(lowest, pull)
            curvature = C * (factor * norms[sample]) ** 2
            if pull != 0.0:
                new = high if score > 0.0 else low
                if curvature > 0.0:
                    new = min(max(old + score / curvature, low), high)
                if new != old:
                    theta[r] = new
                    row_add(X, sample, -C * (new - old) * factor, u)
        ceiling = highest if highest > 0.0 else np.inf
        ground = lowest if lowest < 0.0 else -np.inf
        if highest <= 0.0 and lowest >= 0.0:
            break
    state[0] = remaining
    state[1] = np.float64(random >> np.uint64(12))
    state[2], state[3] = ceiling, ground
    return done
