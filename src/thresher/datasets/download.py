"""Files from the web: streamed, all or nothing, with an error that says what went wrong."""

from __future__ import annotations

import errno
import http.client
import os
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

# Called with the URL, the bytes so far, and the bytes in all where the server says how many.
Progress = Callable[[str, int, int | None], None]

CHUNK = 1 << 16
# Seconds without an answer, or without further bytes, after which a server counts as silent.
TIMEOUT = 30.0
# A transfer that breaks off is begun anew so many times in all, after a pause that doubles.
ATTEMPTS, PAUSE = 3, 1.0

AGENT: Final = {"User-Agent": "thresher-datasets"}


class DownloadError(OSError):
    """A file that could not be had from the web; the message says which and why."""


class CacheError(OSError):
    """A folder that cannot be written to; the message says which and why."""


class BrokenOffError(DownloadError):
    """A transfer that may succeed when it is tried again."""


def cache_folder() -> Path:
    """Return where downloaded sets are kept.

    That is ``THRESHER_CACHE``, else ``thresher`` in ``XDG_CACHE_HOME`` or in ``~/.cache``.
    """
    own = os.environ.get("THRESHER_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "thresher"


def fetch(
    url: str,
    file: Path,
    *,
    timeout: float = TIMEOUT,
    attempts: int = ATTEMPTS,
    pause: float = PAUSE,
    progress: Progress | None = None,
) -> None:
    """Download ``url`` to ``file``: all of it, or nothing."""
    for attempt in range(attempts):
        try:
            with written(file) as out:
                _stream(url, out, timeout, progress)
            return
        except BrokenOffError:
            if attempt == attempts - 1:
                raise
            time.sleep(pause * 2.0**attempt)


@contextmanager
def written(file: Path) -> Iterator[IO[bytes]]:
    """Give a file to write to that takes the place of ``file`` once it is complete."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=file.name, suffix=".part", dir=file.parent)
    except OSError as error:
        raise _local(file.parent, error) from None
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as out:
            yield out
        part.replace(file)
    except (DownloadError, CacheError):
        raise
    except OSError as error:
        raise _local(file.parent, error) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def workspace(folder: Path) -> Iterator[Path]:
    """Give a folder inside ``folder`` that is gone afterwards."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = tempfile.TemporaryDirectory(prefix="download-", dir=folder)
    except OSError as error:
        raise _local(folder, error) from None
    with place as name:
        yield Path(name)


def _local(folder: Path, error: OSError) -> CacheError:
    """Say what is wrong with a folder of ours."""
    if error.errno == errno.ENOSPC:
        return CacheError(f"no space left in {folder}; free some, or set THRESHER_CACHE to another folder")
    reason = (error.strerror or str(error)).lower()
    return CacheError(
        f"cannot write to {folder}: {reason}; set THRESHER_CACHE to a folder that can be written to"
    )


def _stream(url: str, out: IO[bytes], timeout: float, progress: Progress | None) -> None:
    """Copy what ``url`` serves into ``out``."""
    with _answer(url, timeout) as answer:
        length = answer.headers.get("Content-Length")
        total = int(length) if length and length.isdigit() else None
        done = 0
        while chunk := _next_chunk(url, answer):
            out.write(chunk)
            done += len(chunk)
            if progress is not None:
                progress(url, done, total)
    if total is not None and done < total:
        raise BrokenOffError(f"{url} ended after {done} of {total} bytes")


def _answer(url: str, timeout: float) -> Any:
    """Open ``url``, or say why it does not answer."""
    host = urlsplit(url).netloc
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=AGENT), timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        kind = BrokenOffError if error.code >= 500 else DownloadError
        raise kind(f"{url} answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise DownloadError(f"{host} cannot be reached ({_reason(error.reason)})") from None
    except TimeoutError:
        raise BrokenOffError(f"{host} did not answer within {timeout:g} s") from None
    except (http.client.HTTPException, OSError) as error:
        raise BrokenOffError(f"{host} gave no proper answer ({_reason(error)})") from None


def _next_chunk(url: str, answer: Any) -> bytes:
    """Read on, or say how the transfer broke off."""
    try:
        chunk: bytes = answer.read(CHUNK)
    except TimeoutError:
        raise BrokenOffError(f"{url} stopped sending") from None
    except (http.client.HTTPException, OSError) as error:
        raise BrokenOffError(f"{url} broke off ({_reason(error)})") from None
    return chunk


def _reason(error: BaseException | str) -> str:
    """Return the words of an error, or its name where it has none."""
    text = getattr(error, "strerror", None) or str(error)
    return str(text) or type(error).__name__
