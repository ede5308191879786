"""What commands leave behind: files that are whole or not there, tables to read, JSON for machines."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import numpy as np

from thresher.cli.errors import DataError, UseError, needed, reason

Write = Callable[[Path], object]
WIDE = 200


def check_place(file: Path | None, endings: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to before any work is done for it."""
    if file is None:
        return
    if endings and file.suffix.lower() not in endings and not is_device(file):
        raise UseError(f"{file} must end in {' or '.join(endings)}")
    if file.is_dir():
        raise UseError(f"{file} is a folder")
    if not file.parent.is_dir():
        raise UseError(f"{file.parent}: there is no such folder")
    if not os.access(file if is_device(file) else file.parent, os.W_OK):
        raise DataError(f"{file} cannot be written: Permission denied")


def check_report(file: Path | None) -> None:
    """Refuse a report that cannot be written before any work is done for it."""
    check_place(file, [".html"])
    if file is not None:
        try:
            import jinja2
        except ImportError:
            raise needed("jinja2", "report", "a report") from None
        del jinja2


def is_device(file: Path) -> bool:
    """Say whether the file is there and not a regular one, as /dev/stdout."""
    return file.exists() and not file.is_file()


def save(file: Path, write: Write) -> None:
    """Write all of a file, or leave it as it was and keep the content elsewhere."""
    try:
        _place(file, write)
    except OSError as error:
        kept = _rescued(file, write)
        where = f"; what was to be written is kept in {kept}" if kept else ""
        raise DataError(f"{file} cannot be written: {reason(error)}{where}") from None


def _place(file: Path, write: Write) -> None:
    if is_device(file):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / file.name
            write(source)
            with source.open("rb") as content, file.open("wb") as device:
                shutil.copyfileobj(content, device)
        return
    partial = file.with_name(f".{file.stem}.partial{file.suffix}")
    try:
        write(partial)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def _rescued(file: Path, write: Write) -> Path | None:
    kept = Path(tempfile.mkdtemp(prefix="thresher-")) / file.name
    with suppress(OSError):
        write(kept)
        return kept
    return None


def write_csv(file: Path, header: Sequence[str], records: Iterable[Sequence[Any]]) -> None:
    """Write records below a header."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(records)


def plain(value: Any) -> Any:
    """Return NumPy's values as Python's; JSON has no NaN, so that becomes null."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def as_json(value: Any) -> str:
    """Return the value as one JSON text."""
    return json.dumps(plain(value), allow_nan=False)


def say_json(value: Any) -> None:
    """Print one JSON object."""
    click.echo(as_json(value))


def say_table(title: str, header: Sequence[str], records: Iterable[Sequence[str]]) -> None:
    """Print a table for people."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    click.echo(title)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in header:
        table.add_column(name, justify="right", no_wrap=True)
    for record in records:
        table.add_row(*record)
    console = Console(highlight=False)
    # A file or a pipe has no width to keep to.
    console.print(table, width=None if console.is_terminal else WIDE)


def say(line: str) -> None:
    """Print a line for people."""
    click.echo(line)
