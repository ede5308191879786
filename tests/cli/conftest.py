"""A command line, a folder to work in, and one table in every format."""

from pathlib import Path

import numpy as np
import pytest

from support.command import Command, as_csv, clouds

pytest.importorskip("click")
pytest.importorskip("rich")


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, capsys)


@pytest.fixture
def rows(command: Command) -> Path:
    return command.file("rows.csv", as_csv(*clouds()))


@pytest.fixture
def targets(command: Command) -> Path:
    X, _ = clouds(seed=1)
    noise = np.random.default_rng(2).normal(size=len(X)).round(6)
    return command.file("targets.csv", as_csv(X, (X @ [1.0, -2.0, 0.5] + 3.0 + noise).round(6)))
