"""What users pass in, checked once, before any work is done."""

from contextlib import suppress
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from thresher.losses import Loss
from thresher.rows.base import Floats

# The square of anything larger, summed over rows, leaves the range of float64.
LARGEST = 1e140
# ... and so of anything smaller, into where floats have fewer digits.
SMALLEST = 1e-140


def numbers(values: Any, name: str) -> Floats:
    """Return ``values`` as float64, or say what is wrong with them."""
    array = plain_array(values, name)
    if array.dtype.kind == "O" and not any(isinstance(value, (str, bytes)) for value in array.ravel()):
        with suppress(TypeError, ValueError):
            array = array.astype(np.float64)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be real numbers, got dtype {array.dtype}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        position = int(np.flatnonzero(~np.isfinite(array.ravel()))[0])
        raise ValueError(f"{name} holds NaN or infinity (first at position {position})")
    if array.size and max(array.max(), -array.min()) > LARGEST:
        raise ValueError(f"{name} holds values beyond {LARGEST:g}; scale it down")
    return array


def plain_array(values: Any, name: str) -> np.ndarray[Any, Any]:
    """Return ``values`` as an array, or say why they are not one."""
    if hasattr(values, "toarray"):
        raise TypeError(f"{name} must be dense, got a sparse matrix; use {name}.toarray()")
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries; fill or drop them first")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be an array, got nested lists of unequal length") from None


def per_row(values: Any, name: str) -> Floats:
    """Return one value for all rows, or one a row, as a one-dimensional array."""
    array = np.atleast_1d(numbers(values, name))
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a number or a one-dimensional array, got shape {array.shape}")
    return array


def compact(values: Floats) -> Floats:
    """Return ``values`` in half the memory where that loses nothing."""
    with np.errstate(over="ignore", under="ignore"):
        half = values.astype(np.float32)
    return cast(Floats, half) if np.array_equal(half, values) else values


def check_box(lower: Floats, upper: Floats) -> None:
    """Require lower <= 0 <= upper."""
    if (lower > 0.0).any() or (upper < 0.0).any():
        raise ValueError("lower and upper must enclose zero for every row: lower <= 0 <= upper")
    if not (lower < upper).any():
        raise ValueError("no row has a loss: lower equals upper everywhere")


def check_counts(samples: int, sizes: dict[str, int]) -> None:
    """Require that every per-row array is shared, or as long as the samples or twice the samples."""
    rows = 2 * samples if 2 * samples in sizes.values() else samples
    for name, size in sizes.items():
        if size not in (1, rows):
            raise ValueError(f"{name} has {size} entries where X has {samples} rows")


def per_sample(values: Any, name: str, samples: int) -> np.ndarray[Any, Any]:
    """Return ``values``, one for every sample and of any type, as a one-dimensional array."""
    array = plain_array(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size != samples:
        raise ValueError(f"{name} has {array.size} entries where X has {samples} rows")
    return array


def targets(y: ArrayLike, samples: int) -> Floats:
    """Return the targets of a regression."""
    return numbers(per_sample(y, "y", samples), "y")


def sample_weights(weights: ArrayLike | None, samples: int) -> Floats | None:
    """Return sample weights, None where all are one; zero weights stay and make empty boxes."""
    if weights is None:
        return None
    array = numbers(per_sample(weights, "sample_weight", samples), "sample_weight")
    if (array < 0.0).any():
        position = int(np.flatnonzero(array < 0.0)[0])
        raise ValueError(
            f"sample_weight must not be negative, got {array[position]:g} at position {position}"
        )
    if not array.any():
        raise ValueError("sample_weight is zero for every row")
    if array.min(initial=1.0, where=array > 0.0) < SMALLEST:
        raise ValueError(f"sample_weight holds values below {SMALLEST:g} besides zero; scale it up")
    return array


def binary_labels(y: ArrayLike, samples: int, weights: Floats | None) -> tuple[Floats, tuple[Any, Any]]:
    """Return a_i, -1 for the second class and +1 for the first, and the classes in sorted order."""
    labels = per_sample(y, "y", samples)
    if labels.dtype.kind == "c":
        raise TypeError(f"y must hold labels, got dtype {labels.dtype}")
    missing = labels != labels  # true for NaN and NaT of any dtype
    if missing.any():
        position = int(np.flatnonzero(missing)[0])
        raise ValueError(f"y holds NaN (first at position {position})")
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        position = int(np.flatnonzero(np.isinf(labels))[0])
        raise ValueError(f"y holds NaN or infinity (first at position {position})")
    counted = labels if weights is None else labels[weights > 0.0]
    try:
        classes = np.unique(counted)
    except TypeError:
        raise TypeError("y mixes labels of types that cannot be compared") from None
    if classes.size != 2:
        raise ValueError(
            f"y must hold two classes, got {classes.size}"
            + (f" ({classes.tolist()[0]!r})" if classes.size == 1 else "")
            + (" among the rows of positive weight" if weights is not None else "")
        )
    negative, positive = classes.tolist()
    return np.where(labels == classes[1], -1.0, 1.0), (negative, positive)


def weighted_box(loss: Loss, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the box of theta: the slopes of the loss times the sample weights."""
    scale = np.ones(1) if weights is None else weights
    return loss.lower * scale, loss.upper * scale


def grid(C: Any) -> Floats:
    """Return the values of C a user asked for, in their order."""
    values = per_row(C, "C")
    if (values <= 0.0).any():
        raise ValueError(f"C must be positive, got {values[values <= 0.0][0]:g}")
    if values.min(initial=1.0) < SMALLEST:
        raise ValueError(f"C holds values below {SMALLEST:g}; scale the data up instead")
    return values


def single(values: Floats, name: str) -> float:
    """Return the one value there is."""
    if values.size != 1:
        raise ValueError(f"{name} must be one number, got {values.size}")
    return float(values[0])


def tolerance(tol: float) -> float:
    """Return ``tol`` where it is a positive number."""
    value = single(per_row(tol, "tol"), "tol")
    if not 0.0 < value < 1.0:
        raise ValueError(f"tol must lie strictly between 0 and 1, got {value:g}")
    return value
