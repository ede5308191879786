"""Models with a free intercept, from outside: an interior-point solver, planted problems, formulas.

P(w, b)  = 1/2 |w|^2 + C sum_i max(lower_i s_i, upper_i s_i),   s = Z w + offsets + scale b
D(theta) as without intercept, for theta with sum_i scale_i theta_i = 0
"""

from typing import NamedTuple

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import thresher as th
from support import oracle
from support.models import Parts
from support.planted import BOXES, SHAPES, VARIANTS, Planted, Rows, fraction, power_of_two_times

Array = NDArray[np.float64]
Generator = np.random.Generator


class FreeCase(NamedTuple):
    """A planted problem, and what it adds to one without intercept."""

    case: Planted  # w without the intercept; scores with it
    scale: Array
    b: float

    def problem(self, X: object) -> th.Problem:
        case = self.case
        return th.Problem(X, case.offsets, case.lower, case.upper, self.scale, "free")


def scale_of(name: str, y: Array) -> Array:
    """a_i of a model's rows."""
    return -y if name == "hinge" else np.r_[-np.ones(len(y)), np.ones(len(y) * (name == "insensitive"))]


def primal(given: Parts, scale: Array, C: float, w: Array, b: float) -> float:
    return oracle.primal(given.Z, given.offsets + scale * b, given.lower, given.upper, C, w)


def gap(given: Parts, scale: Array, C: float, w: Array, b: float, theta: Array) -> float:
    """P - D for a theta that is feasible up to rounding."""
    assert abs(scale @ theta) <= 1e-9 * (1.0 + np.abs(scale * theta).sum())
    return oracle.gap(given.Z, given.offsets + scale * b, given.lower, given.upper, C, w, theta)


def optimum(given: Parts, scale: Array, C: float) -> tuple[Array, float, float]:
    """w, b and the primal value, in epigraph form."""
    Z, offsets, lower, upper = given
    rows, n = Z.shape
    lower, upper = np.broadcast_to(lower, rows), np.broadcast_to(upper, rows)
    A = np.column_stack([Z, scale])
    quadratic = sparse.diags(np.r_[np.ones(n), np.zeros(rows + 1)], format="csc")
    linear = np.r_[np.zeros(n + 1), np.full(rows, C)]
    blocks = [[bound[:, None] * A, -np.eye(rows)] for bound in (lower, upper)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    limits = np.r_[-lower * offsets, -upper * offsets]
    cones = [clarabel.NonnegativeConeT(2 * rows)]
    solver = clarabel.DefaultSolver(
        quadratic, linear, sparse.csc_matrix(np.block(blocks)), limits, cones, settings
    )
    x = np.asarray(solver.solve().x)
    w, b = x[:n], float(x[n])
    return w, b, primal(given, scale, C, w, b)


# --- planted problems


def plant(rng: Generator, *, unique: bool = True, far: bool = False) -> FreeCase:
    """As `planted.plant`, with sum a_i theta_i = 0; ``unique=False`` moves rows from bound to bound only."""
    while True:
        case = _planted(rng, unique, far)
        if float(case.scale @ case.case.theta) == 0.0:
            return case


def _planted(rng: Generator, unique: bool, far: bool) -> FreeCase:
    count, n = int(rng.integers(12, 60)), int(rng.integers(1, SHAPES["tall"][1] + 1))
    lower, upper = BOXES[str(rng.choice(list(BOXES)))](rng, count)
    Z = fraction(rng.normal(size=(count, n)) + rng.normal(size=n) * rng.integers(0, 2), 4)
    shares = rng.integers(0, 2, count).astype(np.float64)
    margins = rng.integers(1, 33, count) / 16
    inside = rng.random(count) < (rng.choice([0.05, 0.2]) if unique else 0.0)
    shares[inside] = rng.integers(1, 8, int(inside.sum())) / 8
    margins[inside] = 0.0
    names = [name for name in VARIANTS if name not in ("uneven_columns", "zero_rows")]
    Z, shares, margins = VARIANTS[str(rng.choice(names))](rng, Rows(Z, shares, margins))
    scale = rng.choice([-1.0, 1.0], count)
    if far:
        Z = Z + scale[:, None] * 2.0**13 * rng.integers(-1, 2, n)
    theta = lower + shares * (upper - lower)
    theta, changed = admissible(rng, theta, lower, upper, scale, whole=not unique)
    margins[changed & (theta > lower) & (theta < upper)] = 0.0
    C = power_of_two_times(rng, 1e-2 / count, 1e2 / count)
    w, b = -C * (Z.T @ theta), float(rng.integers(-64, 65)) / 8
    margins[(margins == 0.0) & (theta == lower) & (lower == upper)] = 1.0
    fates = np.where(margins > 0, np.where(theta == upper, 1, -1), 0).astype(np.int8)
    scores = fates * margins
    case = Planted(Z, scores - Z @ w - scale * b, lower, upper, C, w, scores, fates, theta)
    return FreeCase(case, scale, b)


def admissible(
    rng: Generator, theta: Array, lower: Array, upper: Array, scale: Array, whole: bool
) -> tuple[Array, NDArray[np.bool_]]:
    """Theta moved until sum a_i theta_i = 0 exactly, a row at a time, and the rows that moved."""
    theta, changed = theta.copy(), np.zeros(len(theta), dtype=np.bool_)
    for i in rng.permutation(len(theta)):
        excess = float(scale @ theta)
        wanted = min(max(theta[i] - scale[i] * excess, lower[i]), upper[i])
        if wanted != theta[i] and not (whole and lower[i] < wanted < upper[i]):
            theta[i], changed[i] = wanted, True
    return theta, changed
