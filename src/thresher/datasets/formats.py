"""From files as the public sources serve them to arrays of numbers."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from thresher.rows.base import Floats

ZIP, GZIP, BZIP2 = b"PK\x03\x04", b"\x1f\x8b", b"BZh"
# Where the name of the format stands in the first block of a tar archive.
TAR_MARK: Final = slice(257, 262), b"ustar"


@contextmanager
def opened(file: Path, member: str | None = None) -> Iterator[IO[bytes]]:
    """Open ``file``, or one of the files packed in it; how it is packed is seen from its first bytes."""
    with ExitStack() as stack:
        yield _unpacked(stack.enter_context(file.open("rb")), member, stack)


def _unpacked(stream: IO[bytes], member: str | None, stack: ExitStack) -> IO[bytes]:
    """Take off one wrapping after the other: zip, tar, gzip, bzip2."""
    head = stream.read(TAR_MARK[0].stop)
    stream.seek(0)
    if head.startswith(ZIP):
        archive = stack.enter_context(zipfile.ZipFile(stream))
        inner: Any = archive.open(_only(member, archive.namelist()))
    elif head[TAR_MARK[0]] == TAR_MARK[1]:
        tar = stack.enter_context(tarfile.TarFile(fileobj=stream))
        inner = tar.extractfile(_only(member, tar.getnames()))
    elif head.startswith(GZIP):
        inner = gzip.GzipFile(fileobj=stream)
    elif head.startswith(BZIP2):
        inner = bz2.BZ2File(stream)
    else:
        return stream
    return _unpacked(stack.enter_context(cast(IO[bytes], inner)), member, stack)


def _only(member: str | None, names: list[str]) -> str:
    """Return the one name that is ``member``, in whatever folder of the archive."""
    found = [name for name in names if name.rpartition("/")[2] == member]
    if len(found) != 1:
        raise ValueError(f"an archive holds {member!r} {len(found)} times, where it should once")
    return found[0]


def read_svmlight(stream: IO[bytes], features: int) -> tuple[Floats, Floats]:
    """Read LIBSVM's text format: a label, then index:value for every entry that is not zero."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(stream, n_features=features, zero_based=False)
    return X.toarray(), y


def read_table(
    stream: IO[bytes], delimiter: str, *, header: int = 0, dtype: DTypeLike = np.float64
) -> NDArray[Any]:
    """Read lines of values with a delimiter between them, after so many lines of header."""
    return np.loadtxt(stream, delimiter=delimiter, skiprows=header, dtype=dtype, ndmin=2)


def read_arff(stream: IO[bytes]) -> Floats:
    """Read the numeric columns of an ARFF file, in their order."""
    from scipy.io import arff

    records, meta = arff.loadarff(io.StringIO(stream.read().decode()))
    names = [name for name, kind in zip(meta.names(), meta.types(), strict=True) if kind == "numeric"]
    return np.column_stack([records[name] for name in names])
