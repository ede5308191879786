"""What samples can do, whatever they are stored as."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from thresher.loops import passes
from thresher.loops.compiled import BLOCK

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Rows(ABC):
    """Samples in memory. A storage says what the loops see; everything else follows from that.

    The methods take what a `Problem` adds to the samples (``scale``, ``offsets``: one value for all rows
    or one a row; rows beyond the last sample start over at the first) and speak of problem rows.
    """

    samples: int
    features: int

    @abstractmethod
    def __init__(self, storage: Any) -> None:
        """Take what has been checked."""

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

    @abstractmethod
    def extract(self, samples: Indices, below: Floats | None = None) -> Any:
        """Return these samples, with the rows ``below`` under them, as users store them; dtype kept."""

    @abstractmethod
    def with_column(self, value: float) -> Any:
        """Return the samples with a constant column last, a copy as users store them; dtype kept."""

    @cached_property
    def frames(self) -> dict[str, Any]:
        """The frames in which problems see these samples, by intercept: see `frame.frame_of`."""
        return {}

    def take(self, samples: Indices) -> Self:
        """Return a copy of these samples as rows of their own, seen from the frames there are."""
        taken = type(self)(self.extract(samples))
        taken.frames.update({intercept: frame.take(samples) for intercept, frame in self.frames.items()})
        return taken

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

    def image(
        self, scale: Floats, index: Indices, theta: Floats, dimension: int, block: int = BLOCK
    ) -> Floats:
        """Return sum theta_k z_i over the rows i = index[k], compensated after each ``block`` of rows."""
        out, lost = np.zeros(dimension), np.zeros(dimension)
        passes.image(self.data, self.samples, scale, index, theta, block, out, lost)
        out += lost
        return out
