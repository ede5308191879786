"""A solver that can be stopped anywhere: dual coordinate descent, written for the tests."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True)
def _epochs(Z, offsets, lower, upper, C, theta, u, epochs):  # type: ignore[no-untyped-def]
    """Each row in turn takes the theta that maximises D with the others held."""
    squares = (Z * Z).sum(axis=1)
    for _ in range(epochs):
        for i in range(len(Z)):
            if squares[i] == 0.0:
                theta[i] = upper[i] if offsets[i] > 0 else lower[i]
                continue
            score = Z[i] @ u + offsets[i]
            wanted = theta[i] + score / (C * squares[i])
            wanted = min(max(wanted, lower[i]), upper[i])
            u -= C * (wanted - theta[i]) * Z[i]
            theta[i] = wanted


def descend(
    Z: Array,
    offsets: Array,
    lower: Array,
    upper: Array,
    C: float,
    epochs: int,
    theta: Array | None = None,
) -> tuple[Array, Array]:
    """(u(theta), theta) after some epochs from `theta`, or from the box's point nearest 0."""
    Z = np.ascontiguousarray(Z, dtype=np.float64)
    theta = np.clip(np.zeros(len(Z)) if theta is None else theta, lower, upper)
    _epochs(Z, offsets, lower, upper, C, theta, -C * (Z.T @ theta), epochs)
    return -C * (Z.T @ theta), theta
