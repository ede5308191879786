"""Bad input is one clear line and an exit code: no traceback, nothing lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from support.command import Command, as_csv, clouds

FIT = ["-t", "y"]
READERS = ["fit", "path", "cv", "reduce", "explain", "bench"]
NO_NUMBER = "line 2: column 'a' holds 'oops', which is not a number"


def text_with(cell: str) -> str:
    X, y = clouds(6)
    return as_csv(X, y).replace(str(X[0, 0]), cell, 1)


# content of rows.csv, options, exit code, what the line says
BAD = {
    "empty file": ("", FIT, 3, "rows.csv is empty"),
    "header only": ("a,b,y\n", FIT, 3, "no rows below its header"),
    "blank lines only": ("a,b,y\n\n\n", FIT, 3, "no rows below its header"),
    "text in numbers": (text_with("oops"), FIT, 3, NO_NUMBER),
    "missing value": (text_with(""), FIT, 3, "column 'a' holds ''"),
    "NaN": (text_with("nan"), FIT, 3, "row 0 has no finite number in column 'a'"),
    "infinity": (text_with("inf"), FIT, 3, "row 0 has no finite number in column 'a'"),
    "one class": ("a,y\n1,0\n2,0\n", FIT, 3, "class"),
    "ragged lines": ("a,b,y\n1,2,0\n1,1\n", FIT, 3, "line 3: 2 values where there are 3 columns"),
    "two columns of one name": ("a,a,y\n1,2,0\n", FIT, 3, "two columns 'a'"),
    "bytes that are no text": (b"\xff\xfe\x00,\x93\n", FIT, 3, "not text in UTF-8"),
    "only the target": ("y\n1\n0\n", FIT, 2, "no column to predict from"),
    "wrong column": (as_csv(*clouds()), ["-t", "nope"], 2, "no column 'nope'; it has a, b, c, y"),
    "wrong weights": (as_csv(*clouds()), [*FIT, "-w", "nope"], 2, "no column 'nope'"),
    "wrong column to drop": (as_csv(*clouds()), [*FIT, "--drop", "nope"], 2, "no column 'nope'"),
    "negative weights": ("a,w,y\n1,-1,0\n2,1,1\n", [*FIT, "-w", "w"], 3, "egative"),
    "text as weights": (
        "a,w,y\n1,x,0\n2,z,1\n",
        [*FIT, "-w", "w"],
        3,
        "weights in column 'w' are not numbers",
    ),
    "no target": (as_csv(*clouds()), [], 2, "--target"),
    "option of another loss": (as_csv(*clouds()), [*FIT, "--quantile", "0.3"], 2, "goes with --loss pinball"),
    "quantile out of range": (
        as_csv(*clouds()),
        [*FIT, "--loss", "pinball", "--quantile", "2"],
        2,
        "0.0<x<1.0",
    ),
    "unknown loss": (as_csv(*clouds()), [*FIT, "--loss", "square"], 2, "square"),
    "tolerance out of range": (as_csv(*clouds()), [*FIT, "--tol", "0"], 2, "--tol"),
    "unknown option": (as_csv(*clouds()), [*FIT, "--frobnicate"], 2, "--frobnicate"),
    "unknown format": (as_csv(*clouds()), [*FIT, "--format", "xls"], 2, "xls"),
    "not an npz": (as_csv(*clouds()), [*FIT, "--format", "npz"], 3, "not a file of plain NumPy arrays"),
    "not a Parquet file": (as_csv(*clouds()), [*FIT, "--format", "parquet"], 3, "not a Parquet file"),
    "not LIBSVM text": (as_csv(*clouds()), [*FIT, "--format", "libsvm"], 3, "not LIBSVM text"),
    "values too large": ("a,y\n1e200,0\n2,1\n", FIT, 3, "too large"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("reader", READERS)
def test_bad_data(command: Command, reader: str, name: str) -> None:
    content, options, code, words = BAD[name]
    answer = command(reader, command.file("rows.csv", content), *options)
    assert answer.code == code
    assert words in answer.complaint
    assert not answer.out


@pytest.mark.parametrize("reader", READERS)
def test_missing_file(command: Command, reader: str) -> None:
    answer = command(reader, "nowhere.csv", *FIT)
    assert answer.code == 2
    assert answer.complaint == "nowhere.csv: there is no such file"


@pytest.mark.parametrize("reader", READERS)
def test_file_that_may_not_be_read(
    command: Command, rows: Path, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(rows))

    monkeypatch.setattr("thresher.cli.tables.delimited.open", refuse, raising=False)
    answer = command(reader, rows, *FIT)
    assert answer.code == 3
    assert answer.complaint.endswith("rows.csv cannot be read: Permission denied")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_file_without_permissions(command: Command, rows: Path) -> None:
    rows.chmod(0)
    answer = command("fit", rows, *FIT)
    assert answer.code == 3
    assert "Permission denied" in answer.complaint


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--Cs", "none"], "neither a number of values"),
        (["--Cs", "0:1:5"], "neither a number of values"),
        (["--Cs", "-3"], "neither a number of values"),
        (["--rule", "magic"], "magic"),
        (["--solver", "magic"], "magic"),
        (["--resume", "nowhere.npz"], "no such file"),
        (["-o", "nowhere/path.csv"], "there is no such folder"),
        (["-o", "path.xls"], "must end in .npz or .csv or .json"),
        (["--report", "page.txt"], "must end in .html"),
    ],
)
def test_options_of_path(command: Command, rows: Path, options: list[str], words: str) -> None:
    answer = command("path", rows, *FIT, *options)
    assert answer.code in (2, 3)
    assert words in answer.complaint


@pytest.mark.parametrize("C", ["0", "-1", "many", "nan", "inf"])
def test_wrong_C(command: Command, rows: Path, C: str) -> None:
    for name in ("fit", "reduce", "explain"):
        answer = command(name, rows, *FIT, "--C", C)
        assert answer.code == 2
        assert "positive" in answer.complaint


class TestModels:
    @pytest.fixture
    def model(self, command: Command, rows: Path) -> Path:
        assert command("fit", rows, *FIT, "-o", "model.json").code == 0
        return Path("model.json")

    @pytest.mark.parametrize(
        "content",
        [b"", b"{", b"[]", b"{}", b'{"schema": 1}', b"\x80\x04\x95", b"a,b\n1,2\n", b"[" * 100_000],
        ids=["empty", "cut", "list", "nothing", "foreign", "pickle", "table", "deep"],
    )
    def test_foreign_files_are_refused(self, command: Command, rows: Path, content: bytes) -> None:
        answer = command("predict", command.file("model.json", content), rows)
        assert answer.code == 3
        assert "not a model that thresher saved" in answer.complaint

    def test_every_damaged_byte_is_noticed(self, command: Command, rows: Path, model: Path) -> None:
        whole = model.read_bytes()
        rng = np.random.default_rng(0)
        for place in rng.integers(0, len(whole), 40).tolist():
            if chr(whole[place]).isspace():
                continue
            damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
            model.write_bytes(damaged)
            assert command("predict", model, rows).code == 3

    def test_cut_anywhere(self, command: Command, rows: Path, model: Path) -> None:
        whole = model.read_bytes()
        for place in range(0, len(whole) - 2, 97):
            model.write_bytes(whole[:place])
            assert command("predict", model, rows).code == 3

    def test_a_later_schema_is_named(self, command: Command, rows: Path, model: Path) -> None:
        model.write_text(model.read_text().replace("thresher model 1", "thresher model 2"))
        answer = command("predict", model, rows)
        assert answer.code == 3
        assert "'thresher model 2'" in answer.complaint

    def test_missing_model(self, command: Command, rows: Path) -> None:
        assert command("predict", "nowhere.json", rows).code == 2


class TestNothingIsLost:
    """When there is no room, the result is printed, kept elsewhere, and what was there stays."""

    @pytest.fixture
    def full_disk(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        plain = Path.write_text

        def write_text(place: Path, text: str, *rest: object, **options: object) -> int:
            if place.name.startswith("."):
                plain(place, text[:10])
                raise OSError(28, "No space left on device", str(place))
            return plain(place, text, *rest, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Path, "write_text", write_text)

    @pytest.mark.usefixtures("full_disk")
    def test_no_space_left(self, command: Command, rows: Path) -> None:
        command.file("model.json", "earlier")
        answer = command("fit", rows, *FIT, "-o", "model.json")
        assert answer.code == 3
        assert "model.json cannot be written: No space left on device" in answer.complaint
        assert "C = 1" in answer.out
        assert Path("model.json").read_text() == "earlier"
        assert [place.name for place in Path().iterdir() if place.name.startswith(".")] == []
        kept = answer.complaint.rpartition(" is kept in ")[2]
        assert command("predict", kept, rows).code == 0

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
    @pytest.mark.parametrize("name", ["fit", "path", "cv"])
    def test_full_device(self, command: Command, rows: Path, name: str) -> None:
        answer = command(name, rows, *FIT, "-o", "/dev/full")
        assert answer.code == 3
        assert "/dev/full cannot be written: No space left on device" in answer.complaint
        assert Path("/dev/full").is_char_device()

    def test_folder_as_output(self, command: Command, rows: Path) -> None:
        Path("folder.json").mkdir()
        assert command("fit", rows, *FIT, "-o", "folder.json").code == 2


def started(*arguments: str, **options: object) -> "subprocess.Popen[str]":
    call = [sys.executable, "-m", "thresher", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.Popen(call, **pipes)  # type: ignore[call-overload,no-any-return]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_to_a_full_disk(rows: Path) -> None:
    with Path("/dev/full").open("w") as full:
        process = started("fit", str(rows), *FIT, stdout=full)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert err == "thresher: output: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_ctrl_c_while_it_runs(command: Command) -> None:
    X, y = clouds(4000)
    file = command.file("large.csv", as_csv(X, y))
    process = started("path", str(file), *FIT, "--Cs", "0.001:1000:200000", "-o", "kept.npz")
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err[-3000:]
    assert err.startswith("thresher: interrupted")
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    ("module", "arguments", "words"),
    [
        ("click", ["--help"], "pip install 'thresher[cli]'"),
        ("rich", ["--help"], "pip install 'thresher[cli]'"),
        ("pyarrow", ["fit", "rows.parquet", "-t", "y"], "pip install 'thresher[parquet]'"),
        ("jinja2", ["path", "rows.csv", "-t", "y", "--report", "r.html"], "pip install 'thresher[report]'"),
    ],
)
def test_missing_extra_is_one_sentence(
    command: Command, rows: Path, module: str, arguments: list[str], words: str
) -> None:
    command.file("rows.parquet", "")
    code = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv[1:] = {arguments!r}; "
        "from thresher.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_help_starts_quickly() -> None:
    """Nothing heavy is imported; 0.3 s is the budget, of which a busy machine may take more."""
    code = (
        "import sys; from thresher.cli.app import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "numba", "sklearn", "rich"} & set(done.stderr.split())


def test_solving_does_not_import_scikit_learn(rows: Path) -> None:
    code = (
        "import sys; from thresher.cli.app import run; "
        f"run(['path', {str(rows)!r}, '-t', 'y', '--Cs', '2']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sklearn", "matplotlib", "pandas"} & set(done.stderr.split())
