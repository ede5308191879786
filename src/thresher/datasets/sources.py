"""The six sets of the paper: where they are served, and how the files become X and y.

The original files are not ours to pin; what is pinned is the result. ``digest`` is the SHA-256 sum of X
and y after parsing, see `loaders.digest_of`, so it holds whichever of the places served the files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, Final

import numpy as np

from thresher.datasets.formats import read_arff, read_svmlight, read_table
from thresher.datasets.record import Loss

LIBSVM: Final = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
UCI: Final = "https://archive.ics.uci.edu"
UCI_OLD: Final = "https://archive.ics.uci.edu/ml/machine-learning-databases"
OPENML: Final = "https://www.openml.org/data/download"
FIGSHARE: Final = "https://ndownloader.figshare.com/files"

Arrays = tuple[Any, Any]


@dataclass(frozen=True)
class Mirror:
    """One place that serves a set: files, as (URL, name inside an archive), and how they are read."""

    files: tuple[tuple[str, str | None], ...]
    read: Callable[..., Arrays]


@dataclass(frozen=True)
class Source:
    """One set: its file in a local folder, the loss it is for, its sum, and who serves it."""

    name: str
    file: str
    loss: Loss
    digest: str
    mirrors: tuple[Mirror, ...]


def ijcnn1(stream: IO[bytes]) -> Arrays:
    """Read LIBSVM's ijcnn1: 22 columns."""
    return read_svmlight(stream, features=22)


def wine(red: IO[bytes], white: IO[bytes]) -> Arrays:
    """Read both files of wine quality: 12 columns, the quality among them; red is +1, white -1."""
    tables = [read_table(stream, ";", header=1) for stream in (red, white)]
    return np.vstack(tables), np.repeat([1.0, -1.0], [len(table) for table in tables])


def covtype(stream: IO[bytes]) -> Arrays:
    """Read the forest cover types and keep class 6, which is +1, and class 7, which is -1."""
    table = read_table(stream, ",", dtype=np.int16)
    table = table[(table[:, -1] == 6) | (table[:, -1] == 7)]
    return table[:, :-1], np.where(table[:, -1] == 6, 1.0, -1.0)


def magic(stream: IO[bytes]) -> Arrays:
    """Read the gamma telescope: g (gamma) is +1, h (hadron) is -1."""
    table = read_table(stream, ",", dtype=np.str_)
    unknown = set(table[:, -1].tolist()) - {"g", "h"}
    if unknown:
        raise ValueError(f"classes must be g or h, got {sorted(unknown)}")
    return table[:, :-1].astype(np.float64), np.where(table[:, -1] == "g", 1.0, -1.0)


def cpu_small(stream: IO[bytes]) -> Arrays:
    """Read LIBSVM's cpusmall: 12 columns, the target is usr."""
    return read_svmlight(stream, features=12)


def cpu_small_arff(stream: IO[bytes]) -> Arrays:
    """Read the same set as OpenML serves it: usr is the last column."""
    table = read_arff(stream)
    return table[:, :-1], table[:, -1]


def cadata(stream: IO[bytes]) -> Arrays:
    """Read LIBSVM's cadata: 8 columns from medianIncome to longitude, the target is the house value."""
    return read_svmlight(stream, features=8)


def cal_housing(stream: IO[bytes]) -> Arrays:
    """Read the same set in StatLib's order of columns: longitude first, income and value last."""
    table = read_table(stream, ",")
    return table[:, [7, 2, 3, 4, 5, 6, 1, 0]], table[:, 8]


def _one(url: str, read: Callable[..., Arrays], member: str | None = None) -> Mirror:
    return Mirror(((url, member),), read)


_RED, _WHITE = "winequality-red.csv", "winequality-white.csv"
_WINE_ZIP = f"{UCI}/static/public/186/wine+quality.zip"
_COVTYPE, _MAGIC = "covtype.data.gz", "magic04.data"

_ALL = (
    Source(
        "ijcnn1",
        "ijcnn1.npz",
        "hinge",
        "f87738707ce4325ae1c16d876386a7f4811b6450b5033245c2e4dff977890704",
        (_one(f"{LIBSVM}/binary/ijcnn1.bz2", ijcnn1),),
    ),
    Source(
        "wine",
        "wine_quality_redwhite.npz",
        "hinge",
        "bcd9444be70e1cc2fd7d94846e28ee25ee64b50d8f1d9bb7ea5791997bbc332c",
        (
            Mirror(((_WINE_ZIP, _RED), (_WINE_ZIP, _WHITE)), wine),
            Mirror(
                ((f"{UCI_OLD}/wine-quality/{_RED}", None), (f"{UCI_OLD}/wine-quality/{_WHITE}", None)), wine
            ),
        ),
    ),
    Source(
        "covtype_6v7",
        "covtype_6v7.npz",
        "hinge",
        "8a7cb9a60a0188a4b3229c29efb4810abae502b1089300e46c70d3d329b482b1",
        (
            _one(f"{UCI}/static/public/31/covertype.zip", covtype, _COVTYPE),
            _one(f"{FIGSHARE}/5976039", covtype),
            _one(f"{UCI_OLD}/covtype/{_COVTYPE}", covtype),
        ),
    ),
    Source(
        "magic",
        "magic.npz",
        "absolute",
        "ca60219125353174e1c3f46a74d6dea0abc6b933a600890288045c9195d26f3c",
        (
            _one(f"{UCI}/static/public/159/magic+gamma+telescope.zip", magic, _MAGIC),
            _one(f"{UCI_OLD}/magic/{_MAGIC}", magic),
        ),
    ),
    Source(
        "cpu_small",
        "cpu_small.npz",
        "absolute",
        "28cf21cb9af89749ac6717b2a1d00d593444c31e831b190b9b97eff262731261",
        (
            _one(f"{LIBSVM}/regression/cpusmall", cpu_small),
            _one(f"{OPENML}/3664/dataset_2213_cpu_small.arff", cpu_small_arff),
        ),
    ),
    Source(
        "houses",
        "houses.npz",
        "absolute",
        "4664b00226a6cad0d0df87b63b769cb77116d011edebbf30dd1126610f2aa2b7",
        (
            _one(f"{LIBSVM}/regression/cadata", cadata),
            _one(f"{FIGSHARE}/5976036", cal_housing, "cal_housing.data"),
        ),
    ),
)
SOURCES: Final = {source.name: source for source in _ALL}
NAMES: Final = tuple(SOURCES)
