"""The paper's real sets by name: from a local folder, from the cache, or from the web."""

from __future__ import annotations

import hashlib
import os
import tarfile
import zipfile
import zlib
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from thresher.datasets.download import DownloadError, Progress, cache_folder, fetch, workspace, written
from thresher.datasets.formats import opened
from thresher.datasets.record import Dataset
from thresher.datasets.sources import SOURCES, Arrays, Mirror, Source
from thresher.rows.base import Floats

# What files that are not what they should be make their readers raise.
UNREADABLE = (ValueError, LookupError, EOFError, OSError, zipfile.BadZipFile, tarfile.TarError, zlib.error)


def load(name: str, folder: str | Path | None = None, *, progress: Progress | None = None) -> Dataset:
    """Return one of the paper's six real sets, raw: columns in their units, targets as they are.

    Parameters
    ----------
    name : str
        "ijcnn1", "wine", "covtype_6v7", "magic", "cpu_small" or "houses".
    folder : path, optional
        A folder that holds the set as an .npz file. Without it the set is looked for in the folder that
        the environment variable ``THRESHER_DATA`` names, then among those downloaded before, and then
        downloaded.
    progress : callable, optional
        Called while downloading, with the URL, the bytes so far, and the bytes in all (None where the
        server does not say).

    Raises
    ------
    FileNotFoundError
        If ``folder`` does not hold the set.
    ValueError
        If a file is not the set it should be: X and y are compared with a sum, wherever they come from.
    DownloadError
        If no public source could be reached, or none served the set.
    """
    if name not in SOURCES:
        raise ValueError(f"set must be one of {', '.join(map(repr, SOURCES))}, got {name!r}")
    source = SOURCES[name]
    file = _local_file(source, folder)
    if file is None:
        file = cache_folder() / source.file
        if not file.is_file():
            return _downloaded(source, file, progress)
    X, y = _read(file)
    _verify(source, X, y, str(file))
    return Dataset(source.name, X, y, source.loss, str(file))


def digest_of(X: Floats, y: Floats) -> str:
    """Return the SHA-256 sum of a set: the shape of X, X row by row, y; as little-endian float64."""
    total = hashlib.sha256(repr(tuple(map(int, X.shape))).encode())
    for values in (X, y):
        # Adding zero turns -0.0 into 0.0: both are the same number.
        total.update(np.ascontiguousarray(values + 0.0, dtype="<f8").tobytes())
    return total.hexdigest()


def _local_file(source: Source, folder: str | Path | None) -> Path | None:
    """Return the file in ``folder``, or in the folder of the environment where it is there."""
    if folder is not None:
        file = Path(folder) / source.file
        if not file.is_file():
            raise FileNotFoundError(f"{source.file} is not in the folder {folder}")
        return file
    named = os.environ.get("THRESHER_DATA")
    if not named:
        return None
    if not Path(named).is_dir():
        raise FileNotFoundError(f"THRESHER_DATA names {named}, which is not a folder")
    file = Path(named) / source.file
    return file if file.is_file() else None


def _read(file: Path) -> tuple[Floats, Floats]:
    """Return X and y as float64."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
            return content["X"].astype(np.float64), content["y"].astype(np.float64)
    except UNREADABLE as error:
        raise ValueError(f"{file} is not an .npz file with arrays X and y ({error})") from None


def _verify(source: Source, X: Floats, y: Floats, origin: str) -> None:
    """Require that X and y are those the set is known by."""
    found = digest_of(X, y)
    if found != source.digest:
        raise ValueError(
            f"{origin} does not hold the set {source.name!r}: the SHA-256 sum of its X and y is {found}, "
            f"not {source.digest}"
        )


def _downloaded(source: Source, file: Path, progress: Progress | None) -> Dataset:
    """Download a set from the first mirror that serves it, and keep it in ``file``."""
    reasons = []
    for mirror in source.mirrors:
        try:
            X, y = _from_mirror(source, mirror, file.parent, progress)
        except (DownloadError, ValueError) as error:
            reasons.append(str(error))
            continue
        with written(file) as out:
            np.savez_compressed(out, X=X, y=y)
        return Dataset(source.name, X, y, source.loss, mirror.files[0][0])
    raise DownloadError(
        f"the set {source.name!r} could not be downloaded: {'; '.join(reasons)}; without the web, give a "
        f"folder that holds {source.file} (folder=, or THRESHER_DATA)"
    )


def _from_mirror(
    source: Source, mirror: Mirror, cache: Path, progress: Progress | None
) -> tuple[Floats, Floats]:
    """Fetch the files of one mirror, read them, and compare the result with the set's sum."""
    origin = mirror.files[0][0]
    with ExitStack() as stack:
        place = stack.enter_context(workspace(cache))
        fetched: dict[str, Path] = {}
        for url, _ in mirror.files:
            if url not in fetched:
                fetched[url] = place / str(len(fetched))
                fetch(url, fetched[url], progress=progress)
        try:
            streams = [stack.enter_context(opened(fetched[url], member)) for url, member in mirror.files]
            X, y = _floats(mirror.read(*streams))
        except UNREADABLE as error:
            raise ValueError(f"{origin} does not serve what it used to ({error})") from None
    _verify(source, X, y, origin)
    return X, y


def _floats(arrays: Arrays) -> tuple[Floats, Floats]:
    X, y = arrays
    return np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64)
