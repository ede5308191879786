"""What can go wrong on the command line, with the code it exits with and one line to say so.

====  ======================================================================
code  meaning
====  ======================================================================
0     done
2     wrong use: options, columns or files that do not exist
3     data that is no good, or a file that cannot be read or written
4     done, but a point's gap is not proven to be within ``--tol``
130   Ctrl-C; what was finished is kept
====  ======================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

DONE, USE, DATA, NOT_CONVERGED, INTERRUPTED = 0, 2, 3, 4, 130


class UseError(click.ClickException):
    """The command was called wrongly."""

    exit_code = USE


class DataError(click.ClickException):
    """The data is no good, or a file cannot be read or written."""

    exit_code = DATA


class Interrupted(click.ClickException):
    """Ctrl-C, after what was finished has been kept."""

    exit_code = INTERRUPTED


def reason(error: BaseException) -> str:
    """Return what went wrong, in one line and without the file's name."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__


@contextmanager
def data_errors(prefix: str = "") -> Iterator[None]:
    """Turn what the library refuses into one line about the data."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise DataError(prefix + reason(error)) from None


def needed(package: str, extra: str, purpose: str) -> UseError:
    """Return the error that says which extra to install."""
    return UseError(f"{purpose} needs {package}: pip install 'thresher[{extra}]'")
