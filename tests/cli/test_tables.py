"""One table, in every format, is the same data."""

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from support.command import Command, as_csv, clouds
from thresher.cli.data import Source, training_rows

X, Y = clouds()


def csv(folder: Path) -> Source:
    (folder / "t.csv").write_text(as_csv(X, Y))
    return Source(folder / "t.csv", "y")


def csv_without_header(folder: Path) -> Source:
    (folder / "t.csv").write_text(as_csv(X, Y).partition("\n")[2])
    return Source(folder / "t.csv", "-1")


def semicolons(folder: Path) -> Source:
    (folder / "t.txt").write_text(as_csv(X, Y).replace(",", ";"))
    return Source(folder / "t.txt", "y", kind="csv")


def windows(folder: Path) -> Source:
    (folder / "t.csv").write_bytes(b"\xef\xbb\xbf" + as_csv(X, Y).replace("\n", "\r\n").encode())
    return Source(folder / "t.csv", "y")


def packed(folder: Path) -> Source:
    (folder / "t.csv.gz").write_bytes(gzip.compress(as_csv(X, Y).encode()))
    return Source(folder / "t.csv.gz", "y")


def quoted(folder: Path) -> Source:
    (folder / "t.csv").write_text(as_csv(X, Y, '"a","b, or so",c,"y"'))
    return Source(folder / "t.csv", "y")


def libsvm(folder: Path) -> Source:
    dump_svmlight_file(X, Y, str(folder / "t.libsvm"), zero_based=False)
    return Source(folder / "t.libsvm")


def npy(folder: Path) -> Source:
    np.save(folder / "t.npy", np.column_stack([X, Y]))
    return Source(folder / "t.npy", "3")


def two_npy(folder: Path) -> Source:
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", Y)
    return Source(folder / "X.npy", str(folder / "y.npy"))


def npz(folder: Path) -> Source:
    np.savez(folder / "t.npz", X=X, y=Y)
    return Source(folder / "t.npz")


def sparse_npz(folder: Path) -> Source:
    rows = sparse.csr_matrix(X)
    pieces = {name: getattr(rows, name) for name in ("data", "indices", "indptr")}
    np.savez(folder / "t.npz", **pieces, shape=np.array(rows.shape), y=Y)
    return Source(folder / "t.npz")


def parquet(folder: Path) -> Source:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y}).to_parquet(folder / "t.parquet")
    return Source(folder / "t.parquet", "y")


FORMATS = [
    csv,
    csv_without_header,
    semicolons,
    windows,
    packed,
    quoted,
    libsvm,
    npy,
    two_npy,
    npz,
    sparse_npz,
    parquet,
]


@pytest.mark.parametrize("write", FORMATS, ids=lambda write: write.__name__)
def test_every_format_is_the_same_data(write, tmp_path: Path) -> None:
    data = training_rows(write(tmp_path))
    found = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(data.targets, Y)
    assert len(data.names) == 3


@pytest.mark.parametrize("write", [sparse_npz, libsvm], ids=lambda write: write.__name__)
def test_a_sparse_model_predicts_files_with_fewer_columns(write, command: Command) -> None:
    source = write(command.folder)
    assert command("fit", source.file, "-o", "model.json", "--standardise").code == 0
    dense = command("predict", "model.json", source.file, "--json").facts
    command.file("less.libsvm", "1 1:1.0\n-1 2:1.0\n")
    if write is libsvm:
        assert command("predict", "model.json", "less.libsvm").code == 0
    assert dense["rows"] == 60


def test_columns_are_dropped_by_name_and_number(command: Command, rows: Path) -> None:
    data = training_rows(Source(rows, "y", drop=("a", "1")))
    assert data.names == ["c"]


def test_labels_keep_their_kind(command: Command) -> None:
    for labels, expected in {"01": [0, 1], "ab": ["a", "b"]}.items():
        lines = "".join(f"{k},{label}\n" for k, label in zip(range(8), itertools.cycle(labels), strict=False))
        data = training_rows(Source(command.file("t.csv", "x,y\n" + lines), "y"))
        assert np.unique(data.targets).tolist() == expected


def test_built_in_sets_go_by_name(command: Command) -> None:
    pytest.importorskip("thresher.datasets")
    facts = command("path", "toy1", "--Cs", "0.01:10:5", "--json").facts
    assert facts["rows"] == 2000
    assert facts["converged"]
