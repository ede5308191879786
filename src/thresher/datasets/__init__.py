"""Data: generators with known properties, and the six public sets of the paper by name."""

from thresher.datasets.download import CacheError, DownloadError, cache_folder
from thresher.datasets.generators import (
    Planted,
    classification,
    planted,
    regression,
    toy,
    toy1,
    toy2,
    toy3,
)
from thresher.datasets.loaders import load
from thresher.datasets.record import Dataset
from thresher.datasets.sources import NAMES

__all__ = [
    "NAMES",
    "CacheError",
    "Dataset",
    "DownloadError",
    "Planted",
    "cache_folder",
    "classification",
    "load",
    "planted",
    "regression",
    "toy",
    "toy1",
    "toy2",
    "toy3",
]
