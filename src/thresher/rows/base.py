"""What samples can do, whatever they are stored as."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.loops import passes

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Rows(ABC):
    """Samples in memory. A storage says what the loops see; everything else follows from that.

    The methods take what a `Problem` adds to the samples (``scale``, ``offsets``: one value for all rows
    or one a row; rows beyond the last sample start over at the first) and speak of problem rows.
    """

    samples: int
    features: int

    @property
    @abstractmethod
    def data(self) -> Any:
        """What the compiled loops take, see `loops.storage`."""

    @property
    @abstractmethod
    def entries_per_sample(self) -> float:
        """How many stored entries a sample has, on average."""

    @abstractmethod
    def to_dense(self) -> Floats:
        """Return all samples as one float64 array (for small problems)."""

    @abstractmethod
    def pieces(self) -> Iterator[NDArray[Any]]:
        """Yield all that is stored as contiguous arrays, for a digest."""

    def norms(self, constant: float, mean: Floats) -> Floats:
        """Return |x_i - mean| for every sample, with a constant column of value ``constant``."""
        out = np.empty(self.samples)
        passes.row_norms(self.data, constant, mean, out)
        return out

    def mean(self) -> Floats:
        """Return the mean of the samples."""
        shares = np.full(self.samples, 1.0 / self.samples)
        return self.image(np.ones(1, dtype=np.float32), np.arange(self.samples), shares, self.features)

    def scores_at(self, scale: Floats, offsets: Floats, index: Indices, w: Floats) -> Floats:
        """Return s_i(w) for the rows i in ``index``."""
        out = np.empty(index.size)
        passes.scores_at(self.data, self.samples, scale, offsets, index, w, out)
        return out

    def gather(self, scale: Floats, index: Indices, dimension: int) -> Floats:
        """Return z_i = a_i x_i for the rows i in ``index`` as a dense array, stored by columns."""
        out = np.zeros((dimension, index.size)).T
        passes.gather(self.data, self.samples, scale, index, out)
        return out

    def working(self, scale: Floats, index: Indices, dimension: int) -> Any:
        """Return z_i for the rows i in ``index`` as `loops.products` takes them: dense, stored by columns."""
        return self.gather(scale, index, dimension).T

    def image(self, scale: Floats, index: Indices, theta: Floats, dimension: int) -> Floats:
        """Return sum theta_k z_i over the rows i = index[k]."""
        out, lost = np.zeros(dimension), np.zeros(dimension)
        self.add_image(scale, index, theta, out, lost)
        out += lost
        return out

    def add_image(self, scale: Floats, index: Indices, theta: Floats, total: Floats, lost: Floats) -> None:
        """Add sum theta_k z_i over the rows i = index[k] to ``total``, in place; ``lost`` is its low bits."""
        passes.image(self.data, self.samples, scale, index, theta, total, lost)
