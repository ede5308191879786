"""DVI in Gram form: the same ball through products of rows only, as kernels will need it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thresher.fates import LOWER, UPPER, ReducedProblem
from thresher.ledger import Ledger
from thresher.loops.compiled import gamma
from thresher.point import Point
from thresher.problem import Problem
from thresher.rows.base import Floats

# Rows of the Gram matrix are formed this many at a time, so memory stays at a few of these blocks.
BLOCK = 1024


def gram_products(problem: Problem, theta: Floats) -> Floats:
    """Return sum_j theta_j <z_i, z_j> for every row i, a block of the Gram matrix at a time."""
    support = np.flatnonzero(theta)
    products = np.zeros(problem.size)
    for first in range(0, problem.size, BLOCK):
        rows = np.arange(first, min(first + BLOCK, problem.size))
        left = problem.rows.gather(problem.scale, rows, problem.dimension)
        for start in range(0, support.size, BLOCK):
            columns = support[start : start + BLOCK]
            right = problem.rows.gather(problem.scale, columns, problem.dimension)
            products[rows] += (left @ right.T) @ theta[columns]
    return products


@dataclass(frozen=True)
class DviGram:
    """[DVI*]: no weight vector is formed, so w = u(theta) and its kappa take the place of the solver's w.

    Its cost grows with the square of the number of rows; for linear models "dvi" proves the same.
    """

    name: str = "dvi*"

    def check(self, problem: Problem) -> None:
        """Accept every problem without a free intercept, which moves products as well as scores."""
        if problem.frame.is_free:
            raise ValueError("rule 'dvi*' is for models without a free intercept; use rule 'dvi'")

    def screen(self, ledger: Ledger, point: Point, C: float, last: Callable[[], Point]) -> ReducedProblem:
        """Return the problem without the rows that the carried ball decides."""
        problem = ledger.problem
        theta = point.theta_of(problem)
        norms = problem.norms()
        products = -point.C * gram_products(problem, theta)
        mass = float(np.abs(theta) @ norms)
        # Error of one product per unit of norm: a sum over all rows of sums over all features.
        error = gamma(problem.size + problem.dimension + 8) * point.C * mass
        ratio = C / point.C
        square = max(-point.C * float(theta @ products), 0.0) + error * point.C * mass
        kappa = self._kappa(problem, theta, products, error * norms, point.C)
        radius = math.sqrt(0.25 * (1.0 - ratio) ** 2 * square + ratio * kappa)
        radius = radius * (1.0 + gamma(8)) + 0.5 * (1.0 + ratio) * error
        scores = 0.5 * (1.0 + ratio) * products + problem.offsets
        reach = radius * norms + gamma(8) * ((1.0 + ratio) * np.abs(products) + np.abs(problem.offsets))
        fates = np.zeros(problem.size, dtype=np.int8)
        fates[scores > reach] = UPPER
        fates[scores < -reach] = LOWER
        return ledger.restrict(fates)

    @staticmethod
    def _kappa(problem: Problem, theta: Floats, products: Floats, errors: Floats, C: float) -> float:
        """Return an upper bound on C sum phi_i(s_i) - theta_i s_i at w = u(theta)."""
        scores = products + problem.offsets
        errors = errors + gamma(2) * np.abs(scores)
        bound = np.where(scores > 0.0, problem.upper, problem.lower)
        plain = (theta == bound) & (np.abs(scores) > errors)
        slack = np.maximum(problem.upper - theta, theta - problem.lower) * errors
        return C * float(np.sum(np.where(plain, 0.0, (bound - theta) * scores + slack)))
