"""Conjugate gradients on the rows strictly inside their box, all others held: one face of the dual problem.

With theta_E on the face, D is largest where the scores of its rows vanish: C G_EE d = s_E for the change d of
theta_E, with the Gram matrix G of the rows. A product with G_EE is a pass over the rows there and back.
"""

from typing import Any

from thresher.loops.compiled import loop
from thresher.loops.passes import at, sample_of
from thresher.loops.storage import row_add, row_dot


@loop
def climb(
    X: Any,
    samples: int,
    scale: Any,
    rows: Any,
    C: float,
    residual: Any,
    direction: Any,
    step: Any,
    image: Any,
    limit: int,
    enough: float,
) -> tuple[int, float]:
    """Take up to ``limit`` steps towards C G step = s, while |residual|^2 exceeds ``enough``.

    ``residual`` = s - C G step and the conjugate ``direction`` go on from call to call; ``image`` is room for
    a vector of weights. Returns the steps and |residual|^2.
    """
    square = 0.0
    for k in range(rows.size):
        square += residual[k] * residual[k]
    taken = 0
    while taken < limit and square > enough:
        image[:] = 0.0
        for k in range(rows.size):
            row_add(X, sample_of(rows[k], samples), at(scale, rows[k]) * direction[k], image)
        curvature = 0.0
        for j in range(image.size):
            curvature += image[j] * image[j]
        if not curvature > 0.0:
            break
        length = square / (C * curvature)
        before, square = square, 0.0
        for k in range(rows.size):
            product = at(scale, rows[k]) * row_dot(X, sample_of(rows[k], samples), image)
            step[k] += length * direction[k]
            residual[k] -= length * C * product
            square += residual[k] * residual[k]
        for k in range(rows.size):
            direction[k] = residual[k] + square / before * direction[k]
        taken += 1
    return taken, square
