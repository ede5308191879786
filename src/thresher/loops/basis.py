"""An orthonormal basis of the kink rows' span, grown and shrunk a row at a time.

The k kink rows satisfy a_(e_j) = sum_i R[i, j] Q[i] with Q[:k] orthonormal and R upper triangular.
Gram-Schmidt is run twice: once loses orthogonality in proportion to the condition number, twice does
not ("twice is enough"), and unscaled columns need it.
"""

from typing import Any

import numpy as np

from thresher.loops.compiled import inner

# A row counts as dependent when this little of it sticks out of the span: a few hundred roundings.
DEPENDENT = 1e-13


@inner
def project_out(Q: Any, count: int, vector: Any, coefficients: Any) -> None:
    """Vector -= its part in the span; coefficients[i] = <Q[i], vector> of the vector that came in."""
    for i in range(count):
        coefficients[i] = 0.0
    for _ in range(2):
        for i in range(count):
            product = 0.0
            for j in range(vector.size):
                product += Q[i, j] * vector[j]
            coefficients[i] += product
            for j in range(vector.size):
                vector[j] -= product * Q[i, j]


@inner
def append(Q: Any, R: Any, count: int, A: Any, row: int, work: Any, coefficients: Any) -> bool:
    """Take row ``A[:, row]`` in as number ``count``; False if the span holds it already."""
    square = 0.0
    for j in range(work.size):
        work[j] = A[j, row]
        square += work[j] * work[j]
    if count == work.size or square == 0.0:
        return False
    project_out(Q, count, work, coefficients)
    outside = 0.0
    for j in range(work.size):
        outside += work[j] * work[j]
    if outside <= DEPENDENT * DEPENDENT * square:
        return False
    length = np.sqrt(outside)
    for i in range(count):
        R[i, count] = coefficients[i]
    R[count, count] = length
    for j in range(work.size):
        Q[count, j] = work[j] / length
    return True


@inner
def remove(Q: Any, R: Any, count: int, position: int) -> None:
    """Let row number ``position`` go; Givens rotations restore the triangle."""
    for column in range(position, count - 1):
        for i in range(column + 2):
            R[i, column] = R[i, column + 1]
    for i in range(position, count - 1):
        length = np.hypot(R[i, i], R[i + 1, i])
        cosine = R[i, i] / length
        sine = R[i + 1, i] / length
        for column in range(i, count - 1):
            above, below = R[i, column], R[i + 1, column]
            R[i, column] = cosine * above + sine * below
            R[i + 1, column] = cosine * below - sine * above
        for j in range(Q.shape[1]):
            above, below = Q[i, j], Q[i + 1, j]
            Q[i, j] = cosine * above + sine * below
            Q[i + 1, j] = cosine * below - sine * above


@inner
def combination(R: Any, count: int, coefficients: Any, out: Any) -> None:
    """Solve R out = coefficients: sum_j out[j] a_(e_j) = sum_i coefficients[i] Q[i]."""
    for i in range(count - 1, -1, -1):
        total = coefficients[i]
        for j in range(i + 1, count):
            total -= R[i, j] * out[j]
        out[i] = total / R[i, i]


@inner
def move_onto(Q: Any, R: Any, count: int, targets: Any, w: Any) -> None:
    """Add the shortest vector d to w with <a_(e_j), d> = targets[j]; overwrites ``targets``."""
    for j in range(count):
        total = targets[j]
        for i in range(j):
            total -= R[i, j] * targets[i]
        targets[j] = total / R[j, j]
        for i in range(w.size):
            w[i] += targets[j] * Q[j, i]
