"""Data made on the spot: the paper's toys, problems with a known answer, sets of any size."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import DTypeLike

from thresher import losses
from thresher.datasets.record import Dataset
from thresher.fates import FREE, LOWER, UPPER, Fates
from thresher.problem import Problem
from thresher.rows import as_rows
from thresher.rows.base import Floats

# The paper's toys: this many points a class, around (mean, mean) and its opposite, with this deviation.
TOY_POINTS, TOY_DEVIATION = 1000, 0.75
# Entries made at a time, so that a large set needs little more memory than itself.
BLOCK_ENTRIES = 1 << 20
# Noise of the regression sets: Student's t with so many degrees of freedom has heavy tails.
NOISE_FREEDOM = 3.0
# Planted problems take numbers of few bits, so that sums and products of them are exact.
ROW_BITS, THETA_PARTS, MARGIN_PARTS = 4, 8, 16


def toy(mean: float, *, seed: int = 0, name: str | None = None) -> Dataset:
    """Return two classes of 1000 points each, N(±(mean, mean), 0.75² I).

    Examples
    --------
    >>> toy(1.5).X.shape
    (2000, 2)
    """
    random = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], TOY_POINTS)
    X = y[:, None] * mean + TOY_DEVIATION * random.standard_normal((y.size, 2))
    source = f"generated, mean {mean:g}, deviation {TOY_DEVIATION:g}, seed {seed}"
    return Dataset(name or f"toy, mean {mean:g}", X, y, "hinge", source)


def toy1(seed: int = 0) -> Dataset:
    """Return the paper's Toy1: means ±1.5, classes far apart."""
    return toy(1.5, seed=seed, name="toy1")


def toy2(seed: int = 0) -> Dataset:
    """Return the paper's Toy2: means ±0.75."""
    return toy(0.75, seed=seed, name="toy2")


def toy3(seed: int = 0) -> Dataset:
    """Return the paper's Toy3: means ±0.5, classes that overlap by far."""
    return toy(0.5, seed=seed, name="toy3")


def classification(
    rows: int,
    columns: int,
    *,
    distance: float = 1.0,
    dtype: DTypeLike = np.float64,
    seed: int = 0,
) -> Dataset:
    """Return two equally likely normal classes whose means are ``distance`` apart, of any size.

    Only X and y are ever held in memory, X as float64 or float32.

    Examples
    --------
    >>> classification(1000, 5, dtype="float32").X.dtype
    dtype('float32')
    """
    values, labels, direction = _streams(rows, columns, dtype, seed)
    y = np.where(labels.random(rows) < 0.5, -1.0, 1.0)
    X = np.empty((rows, columns), dtype=dtype)
    step = (0.5 * distance * direction).astype(X.dtype)
    for block in _blocks(rows, columns):
        X[block] = values.standard_normal(X[block].shape, dtype=X.dtype.type)
        X[block] += y[block, None].astype(X.dtype) * step
    return Dataset("classification", X, y, "hinge", f"generated, distance {distance:g}, seed {seed}")


def regression(
    rows: int,
    columns: int,
    *,
    noise: float = 1.0,
    dtype: DTypeLike = np.float64,
    seed: int = 0,
) -> Dataset:
    """Return normal rows with a linear target of unit deviation and heavy-tailed noise, of any size.

    Only X and y are ever held in memory, X as float64 or float32.

    Examples
    --------
    >>> regression(1000, 5).y.shape
    (1000,)
    """
    values, tails, direction = _streams(rows, columns, dtype, seed)
    X, y = np.empty((rows, columns), dtype=dtype), np.empty(rows)
    for block in _blocks(rows, columns):
        X[block] = values.standard_normal(X[block].shape, dtype=X.dtype.type)
        y[block] = X[block] @ direction + noise * tails.standard_t(NOISE_FREEDOM, y[block].size)
    return Dataset("regression", X, y, "absolute", f"generated, noise {noise:g}, seed {seed}")


def _streams(
    rows: int, columns: int, dtype: DTypeLike, seed: int
) -> tuple[np.random.Generator, np.random.Generator, Floats]:
    """Return two independent streams of random numbers and a direction of length one."""
    if rows < 1 or columns < 1:
        raise ValueError(f"rows and columns must be at least 1, got {rows} and {columns}")
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise ValueError(f"dtype must be float64 or float32, got {np.dtype(dtype)}")
    first, second, third = np.random.default_rng(seed).spawn(3)
    direction = third.standard_normal(columns)
    return first, second, direction / np.sqrt(direction @ direction)


def _blocks(rows: int, columns: int) -> list[slice]:
    step = max(1, BLOCK_ENTRIES // columns)
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


@dataclass(frozen=True, eq=False)
class Planted:
    """A problem and its answer at one C: optimal weights, one optimal theta, scores and fates."""

    problem: Problem
    C: float
    w: Floats = field(repr=False)
    theta: Floats = field(repr=False)
    scores: Floats = field(repr=False)
    fates: Fates = field(repr=False)


def planted(
    rows: int,
    columns: int,
    *,
    loss: losses.Loss = losses.absolute,
    C: float = 1.0,
    at_kink: float = 0.1,
    seed: int = 0,
) -> Planted:
    """Return a problem whose answer is known before anybody solves it.

    Rows and theta are drawn first: a share ``at_kink`` of the rows with theta strictly inside its
    interval, the others at either bound. w = -C sum theta_i z_i follows, and the offsets are set so that
    [KKT] holds with a margin. With slopes and C of few bits, as in the default, every number is exact:
    rows at the kink are there to the last bit.

    Examples
    --------
    >>> import thresher as th
    >>> case = planted(100, 3)
    >>> path = th.solve_path(case.problem, [case.C])
    >>> bool(abs(path.coef[0] - case.w).max() <= 1e-9)
    True
    """
    if not 0.0 <= at_kink <= 1.0:
        raise ValueError(f"at_kink must lie between 0 and 1, got {at_kink:g}")
    if rows < 1 or columns < 1:
        raise ValueError(f"rows and columns must be at least 1, got {rows} and {columns}")
    random = np.random.default_rng(seed)
    Z = _short(random.standard_normal((rows, columns)), ROW_BITS)
    sides = random.choice(np.array([LOWER, UPPER], dtype=np.int8), rows)
    sides[random.random(rows) < at_kink] = FREE
    inside = random.integers(1, THETA_PARTS, rows) / THETA_PARTS
    shares = np.choose(sides + 1, [np.zeros(rows), inside, np.ones(rows)])
    theta = loss.lower + shares * (loss.upper - loss.lower)
    w = -C * (Z.T @ theta)
    scores = sides * random.integers(1, 2 * MARGIN_PARTS + 1, rows) / MARGIN_PARTS
    box = np.array([loss.lower]), np.array([loss.upper])
    problem = Problem(as_rows(Z), scores - Z @ w, *box)
    return Planted(problem, C, w, theta, scores, sides)


def _short(values: Floats, bits: int) -> Floats:
    """Round to multiples of 2^-bits."""
    scaled: Floats = np.round(values * 2.0**bits) / 2.0**bits
    return scaled
