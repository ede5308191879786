"""The truth, from outside: an interior-point solver, a polish and the formulas in plain NumPy.

    P(w)     = 1/2 |w|^2 + C sum_i max(lower_i s_i, upper_i s_i),   s = Z w + offsets
    D(theta) = -1/2 |u|^2 + C sum_i theta_i offsets_i,              u = -C Z' theta

Nothing here is shared with the package, so an error would have to be made twice.
"""

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import lsq_linear

Array = NDArray[np.float64]

CERTIFIED = 1e-9  # relative gap below which the oracle calls a point optimal
KINK_WIDTHS = 10.0 ** np.arange(-12, -2)  # how near the kink a row may be to count as on it


def scores(Z: Array, offsets: Array, w: Array) -> Array:
    return Z @ w + offsets


def losses(Z: Array, offsets: Array, lower: Array, upper: Array, w: Array) -> Array:
    s = scores(Z, offsets, w)
    return np.maximum(lower * s, upper * s)


def primal(Z: Array, offsets: Array, lower: Array, upper: Array, C: float, w: Array) -> float:
    return float(0.5 * w @ w + C * losses(Z, offsets, lower, upper, w).sum())


def image(Z: Array, C: float, theta: Array) -> Array:
    return -C * (Z.T @ theta)


def dual(Z: Array, offsets: Array, C: float, theta: Array) -> float:
    u = image(Z, C, theta)
    return float(-0.5 * u @ u + C * theta @ offsets)


def gap(Z: Array, offsets: Array, lower: Array, upper: Array, C: float, w: Array, theta: Array) -> float:
    """P - D as a sum of terms that cannot be negative, so that nothing cancels."""
    s = scores(Z, offsets, w)
    slack = np.where(s > 0, (upper - theta) * s, (lower - theta) * s)
    distance = w - image(Z, C, theta)
    return float(0.5 * distance @ distance + C * slack.sum())


def clarabel_solution(Z: Array, offsets: Array, lower: Array, upper: Array, C: float) -> tuple[Array, float]:
    """The optimal w and primal value, refused unless a dual point proves them."""
    rows = len(offsets)
    lower, upper = np.broadcast_to(lower, rows), np.broadcast_to(upper, rows)
    problem = (Z, offsets, lower, upper, C)
    w, theta = _interior_point(*problem)
    candidates = [(w, theta), *(_polished(*problem, w, width) for width in KINK_WIDTHS)]
    best = min((point for point, _ in candidates), key=lambda point: primal(*problem, point))
    value = primal(*problem, best)
    highest = max(dual(Z, offsets, C, t) for _, t in candidates)
    smallest = min(gap(*problem, best, t) for _, t in candidates)
    proven = min(smallest, value - highest)
    if proven > CERTIFIED * max(abs(value), 1e-300):
        raise RuntimeError(f"the oracle failed: relative gap {proven / value:.1e} at C = {C:g}")
    return best, value


def _interior_point(Z: Array, offsets: Array, lower: Array, upper: Array, C: float) -> tuple[Array, Array]:
    """Epigraph form in x = (w, t): t_i >= lower_i s_i and t_i >= upper_i s_i."""
    rows, dimension = Z.shape
    quadratic = sparse.diags(np.r_[np.ones(dimension), np.zeros(rows)], format="csc")
    linear = np.r_[np.zeros(dimension), np.full(rows, C)]
    constraints = sparse.csc_matrix(
        np.block(
            [
                [lower[:, None] * Z, -np.eye(rows)],
                [upper[:, None] * Z, -np.eye(rows)],
            ]
        )
    )
    limits = np.r_[-lower * offsets, -upper * offsets]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(2 * rows)]
    solver = clarabel.DefaultSolver(quadratic, linear, constraints, limits, cones, settings)
    solution = solver.solve()
    w = np.asarray(solution.x)[:dimension]
    multipliers = np.maximum(np.asarray(solution.z), 0.0).reshape(2, rows)
    share = multipliers[1] / np.maximum(multipliers.sum(axis=0), 1e-300)
    return w, np.clip(lower + share * (upper - lower), lower, upper)


def _polished(
    Z: Array, offsets: Array, lower: Array, upper: Array, C: float, w: Array, width: float
) -> tuple[Array, Array]:
    """Hold every row off the kink at its bound and solve the rest exactly."""
    s = scores(Z, offsets, w)
    sizes = np.abs(Z) @ np.abs(w) + np.abs(offsets)
    kink = np.abs(s) <= width * sizes
    theta = np.where(s > 0, upper, lower)
    pull = image(Z[~kink], C, theta[~kink])
    if not kink.any():
        return pull, theta
    on_kink = Z[kink]
    miss = on_kink @ pull + offsets[kink]
    w = pull - np.linalg.lstsq(on_kink, miss, rcond=None)[0]
    bounds = (lower[kink], upper[kink])
    wanted = (pull - w) / C
    theta[kink] = np.clip(np.linalg.lstsq(on_kink.T, wanted, rcond=None)[0], *bounds)
    if np.linalg.norm(image(on_kink, C, theta[kink]) + pull - w) > 1e-10 * np.linalg.norm(w):
        theta[kink] = np.clip(lsq_linear(on_kink.T, wanted, bounds, tol=1e-14).x, *bounds)
    return w, theta


def lowest_score(
    row: Array, offset: float, centre: Array, radius: float, normal: Array, level: float
) -> float:
    """min <row, w> + offset over {|w - centre| <= radius, <normal, w> <= level}.

    Solved for v in the unit ball, w = centre + radius * v, with row and normal of length 1.
    """
    dimension, length, steepness = len(row), np.linalg.norm(row), np.linalg.norm(normal)
    constraints = sparse.csc_matrix(np.vstack([normal / steepness, np.zeros(dimension), -np.eye(dimension)]))
    depth = (level - normal @ centre) / (steepness * radius)
    limits = np.r_[depth, 1.0, np.zeros(dimension)]
    cones = [clarabel.NonnegativeConeT(1), clarabel.SecondOrderConeT(dimension + 1)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    nothing = sparse.csc_matrix((dimension, dimension))
    solver = clarabel.DefaultSolver(nothing, row / length, constraints, limits, cones, settings)
    solution = solver.solve()
    if "Solved" not in str(solution.status):
        raise RuntimeError(f"the oracle failed: {solution.status}")
    return float(row @ (centre + radius * np.asarray(solution.x)) + offset)
