"""A certificate that is rounded less, for gaps that rounding would hide.

Only rows whose theta is not plainly the bound that their score asks for add to kappa, and these are few:
their scores can be summed exactly, each product split into the float nearest to it and what that leaves out
(Dekker 1971). The image of theta is summed anew, in the smallest blocks that pay.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher.loops.compiled import BLOCK, EPSILON, gamma

if TYPE_CHECKING:
    from thresher.point import Point
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices

# 2^27 + 1 splits the 53 bits of a float into two halves, whose products are exact.
SPLIT = 134217729.0
# Kink rows made dense at a time.
ROWS = 64
# Rows summed before the compensated total takes them in; more of them where rows are sparse, so that taking
# in costs no more than summing.
LEAST_BLOCK = 4


def sharpened(problem: Problem, point: Point) -> Point:
    """Return the point with kappa from exact scores of its kink rows, and u from a finer sum.

    A free intercept's theta is admissible up to rounding only, which no score can mend: its point is returned
    as it is, and so is one that gains nothing.

    Examples
    --------
    >>> import thresher as th
    >>> problem = th.Problem.lad([[1e8, 1.0], [1e8, -1.0]], [1.0, 3.0])
    >>> point = th.solve_path(problem, [1.0])[0].point
    >>> sharpened(problem, point).gap_bound <= point.gap_bound
    True
    """
    if problem.frame.is_free or point.kinks.size == 0:
        return point
    rows, theta = point.kinks, point.theta
    scores, errors = exact_scores(problem, point)
    lower, upper = problem.box_of(rows)
    bound = np.where(scores > 0.0, upper, lower)
    kappa = point.C * max(math.fsum((bound - theta) * scores), 0.0)
    doubt = float(np.maximum(upper - theta, theta - lower) @ errors)
    u, u_error = finer_image(problem, point)
    certificate = replace(
        point.certificate, u=u, u_error=u_error, kappa=kappa, rounding=point.C * doubt + gamma(8) * kappa
    )
    better = replace(point, certificate=certificate)
    return better if better.gap_bound < point.gap_bound else point


def finer_image(problem: Problem, point: Point) -> tuple[Floats, float]:
    """Return u(theta), and by how much it may be off."""
    theta, rows = point.theta_of(problem), problem.rows
    block = int(np.clip(problem.dimension / (1.0 + rows.entries_per_sample), LEAST_BLOCK, BLOCK))
    image = rows.image(problem.scale, np.arange(problem.size), theta, problem.dimension, block)
    mass = float(np.abs(theta) @ problem.norms())
    return -point.C * image, point.C * gamma(block + 8) * mass


def exact_scores(problem: Problem, point: Point) -> tuple[Floats, Floats]:
    """Return the scores of the kink rows, and by how much they may be off."""
    rows = point.kinks
    scale, offsets = (problem.own(values, rows) for values in (problem.scale, problem.offsets))
    products = np.concatenate(
        [_exact_products(problem, rows[k : k + ROWS], point.w) for k in range(0, rows.size, ROWS)]
    )
    moved = scale * products
    # The product is rounded once, the multiplication by a_i and the addition of o_i once each.
    return moved + offsets, EPSILON * (2.0 * np.abs(moved) + np.abs(moved + offsets))


def _exact_products(problem: Problem, rows: Indices, w: Floats) -> Floats:
    dense = problem.rows.gather(np.ones(1, dtype=problem.scale.dtype), rows, problem.dimension)
    nearest = dense * w
    (x_high, x_low), (w_high, w_low) = _halves(dense), _halves(w)
    rest = x_low * w_low - (((nearest - x_high * w_high) - x_low * w_high) - x_high * w_low)
    return np.array([math.fsum(row) for row in np.concatenate([nearest, rest], axis=1).tolist()])


def _halves(values: Floats) -> tuple[Floats, Floats]:
    moved = SPLIT * values
    high = moved - (moved - values)
    return high, values - high
