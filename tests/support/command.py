"""Run the command line in this process, and files for it to read."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from thresher.cli.app import run


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def facts(self) -> dict[str, Any]:
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line on what went wrong."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("thresher: ")
        return lines[0].removeprefix("thresher: ")


class Command:
    """Calls as on the command line, from a folder with some files."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.folder, self.captured = folder, captured

    def __call__(self, *arguments: Any) -> Answer:
        self.captured.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = self.captured.readouterr()
        assert "Traceback" not in out + err
        return Answer(code, out, err)

    def file(self, name: str, content: str | bytes) -> Path:
        place = self.folder / name
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place


def clouds(rows: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(rows) % 2, 1, -1)
    return rng.normal(0.8 * y[:, None], 1.0, size=(rows, 3)).round(6), y


def as_csv(X: np.ndarray, y: np.ndarray, header: str = "a,b,c,y") -> str:
    lines = (",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True))
    return "\n".join([header, *lines]) + "\n"
