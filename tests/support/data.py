"""Small generated data sets, and the real ones where the reader has them."""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[np.float64]
Matrix = Array | sparse.csr_matrix

TOYS = {"toy1": 1.5, "toy2": 0.75, "toy3": 0.5}  # mu, the paper's three


def toy(name: str, each: int = 1000, seed: int = 0) -> tuple[Array, Array]:
    """Two classes of `each` points, N(+-mu, 0.75^2 I) in the plane."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], each)
    X = TOYS[name] * y[:, None] + 0.75 * rng.normal(size=(2 * each, 2))
    return X, y


def classes(rows: int = 120, columns: int = 6, seed: int = 0) -> tuple[Array, Array]:
    """Two overlapping classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X[:, 0] + rng.normal(size=rows) > 0, 1.0, -1.0)
    y[: min(2, rows)] = [1.0, -1.0][: min(2, rows)]
    return X, y


def regression(rows: int = 120, columns: int = 6, seed: int = 0) -> tuple[Array, Array]:
    """A linear target with heavy tails."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X @ rng.normal(size=columns) + rng.standard_t(3, size=rows)


def separable(rows: int = 60, columns: int = 3, seed: int = 0) -> tuple[Array, Array]:
    """Two classes with a gap between them, through the origin."""
    X, _ = classes(rows, columns, seed)
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] += y
    return X, y


def real(name: str) -> tuple[Matrix, Array]:
    """A public data set from the folder named by THRESHER_DATA, or skip."""
    folder = os.environ.get("THRESHER_DATA")
    if not folder:
        pytest.skip("set THRESHER_DATA to the folder of the public data sets to run this test")
    file = Path(folder) / f"{name}.npz"
    if not file.exists():
        pytest.skip(f"the folder THRESHER_DATA has no {file.name}")
    with np.load(file, allow_pickle=False) as stored:
        y = stored["y"].astype(np.float64)
        if "X" in stored:
            return stored["X"].astype(np.float64), y
        parts = (stored["data"].astype(np.float64), stored["indices"], stored["indptr"])
        return sparse.csr_matrix(parts, shape=tuple(stored["shape"])), y


def real_sample(name: str, rows: int, seed: int = 0) -> tuple[Array, Array]:
    """Some rows of a real set, dense, columns standardised, constant columns left at 0."""
    X, y = real(name)
    chosen = np.sort(np.random.default_rng(seed).choice(len(y), rows, replace=False))
    X = X[chosen].toarray() if sparse.issparse(X) else X[chosen]
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y[chosen]
