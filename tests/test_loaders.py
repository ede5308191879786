"""The six public sets: from a folder, from the cache, and from the web as it serves them."""

import bz2
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import dump_svmlight_file

from support import data
from support import server as replies
from support.server import Server, running
from thresher import datasets
from thresher.datasets import DownloadError, formats, loaders, sources
from thresher.datasets.sources import SOURCES, Mirror, Source

Array = NDArray[np.float64]

# rows, columns, and how many labels are +1, of the sets as the public sources describe them
FACTS = {
    "ijcnn1": (49990, 22, 4853),
    "wine": (6497, 12, 1599),
    "covtype_6v7": (37877, 54, 17367),
    "magic": (19020, 10, 12332),
    "cpu_small": (8192, 12, None),
    "houses": (20640, 8, None),
}
X = np.array([[1.5, 0.0, -2.0], [0.0, 0.25, 3.0], [4.0, 5.0, 6.0]])
Y = np.array([1.0, -1.0, 1.0])


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data but what a test puts there, and no waiting between attempts."""
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(loaders.fetch, "__kwdefaults__", {**loaders.fetch.__kwdefaults__, "pause": 0.0})


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as found:
        yield found


@pytest.fixture
def tiny(server: Server, monkeypatch: pytest.MonkeyPatch) -> Source:
    """A set of three rows in LIBSVM's format, known as "houses", and no folder of data."""
    monkeypatch.delenv("THRESHER_DATA", raising=False)
    mirror = Mirror(((server.url("tiny"), None),), lambda stream: formats.read_svmlight(stream, 3))
    source = replace(SOURCES["houses"], digest=loaders.digest_of(X, Y), mirrors=(mirror,))
    monkeypatch.setitem(SOURCES, "houses", source)
    return source


def svmlight(X: Array, y: Array) -> bytes:
    out = io.BytesIO()
    dump_svmlight_file(X, y, out, zero_based=False)
    return out.getvalue()


def saved(folder: Path, name: str, **arrays: object) -> Path:
    folder.mkdir(exist_ok=True)
    np.savez(folder / SOURCES[name].file, **arrays)
    return folder


# --- from a folder


@pytest.mark.parametrize("name", datasets.NAMES)
def test_real_sets_load_from_a_folder(name: str) -> None:
    file = SOURCES[name].file
    expected_X, expected_y = data.real(file.removesuffix(".npz"))
    found = datasets.load(name)
    np.testing.assert_array_equal(found.X, expected_X)
    np.testing.assert_array_equal(found.y, expected_y)
    rows, columns, positive = FACTS[name]
    assert found.X.shape == (rows, columns)
    if positive is not None:
        assert np.count_nonzero(found.y == 1.0) == positive
        assert np.count_nonzero(found.y == -1.0) == rows - positive
    assert (found.name, found.source.endswith(file)) == (name, True)


def test_the_names_are_these() -> None:
    assert set(datasets.NAMES) == set(FACTS)
    with pytest.raises(ValueError, match=r"set must be one of 'ijcnn1', .*'houses', got 'iris'"):
        datasets.load("iris")


def test_integers_load_as_numbers(tiny: Source, tmp_path: Path) -> None:
    whole = np.round(X).astype(np.int16)
    folder = saved(tmp_path / "data", "houses", X=whole, y=Y.astype(np.int8))
    SOURCES["houses"] = replace(tiny, digest=loaders.digest_of(whole.astype(np.float64), Y))
    found = datasets.load("houses", folder)
    assert found.X.dtype == found.y.dtype == np.float64
    np.testing.assert_array_equal(found.X, whole)


def test_a_folder_without_the_set_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=rf"houses\.npz is not in the folder {tmp_path}"):
        datasets.load("houses", tmp_path)


def test_a_folder_of_the_environment_that_is_none_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"THRESHER_DATA names .*nowhere, which is not a folder"):
        datasets.load("houses")


def test_an_argument_goes_before_the_environment(
    tiny: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path / "nowhere"))
    folder = saved(tmp_path / "data", "houses", X=X, y=Y)
    assert datasets.load("houses", folder).source == str(folder / "houses.npz")


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 cut", b"<html>", None], ids=["empty", "cut", "html", "keys"]
)
def test_a_corrupt_file_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    if content is None:
        saved(tmp_path, "houses", Z=X)
    else:
        (tmp_path / "houses.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"houses\.npz is not an \.npz file with arrays X and y \("):
        datasets.load("houses", tmp_path)


@pytest.mark.parametrize("change", ["value", "label", "order", "shape"])
def test_other_data_of_the_same_name_is_refused(tiny: Source, tmp_path: Path, change: str) -> None:
    other, labels = X.copy(), Y.copy()
    if change == "value":
        other[0, 0] += 1e-15
    elif change == "label":
        labels[0] = -1.0
    elif change == "order":
        other, labels = other[::-1], labels[::-1]
    else:
        other = other.reshape(1, 9)
    folder = saved(tmp_path / "data", "houses", X=other, y=labels)
    with pytest.raises(ValueError, match=r"does not hold the set 'houses': the SHA-256 sum .* not "):
        datasets.load("houses", folder)


def test_the_sum_knows_numbers_not_their_storage() -> None:
    assert loaders.digest_of(X, Y) == loaders.digest_of(np.asfortranarray(X), Y[::1].astype(">f8"))
    negative = np.where(X == 0.0, -0.0, X)
    assert loaders.digest_of(X, Y) == loaders.digest_of(negative, Y)


# --- from the web


def test_a_set_is_downloaded_once(server: Server, tiny: Source, tmp_path: Path) -> None:
    server.serve("tiny", replies.whole(svmlight(X, Y)))
    seen: list[int] = []
    first = datasets.load("houses", progress=lambda url, done, total: seen.append(done))
    again = datasets.load("houses")
    assert server.hits["tiny"] == 1
    assert seen[-1] == len(svmlight(X, Y))
    for found in (first, again):
        np.testing.assert_array_equal(found.X, X)
        np.testing.assert_array_equal(found.y, Y)
    assert (first.source, again.source) == (server.url("tiny"), str(tmp_path / "cache" / "houses.npz"))
    assert [file.name for file in (tmp_path / "cache").iterdir()] == ["houses.npz"]


def test_a_folder_that_lacks_a_set_leaves_it_to_the_web(
    server: Server, tiny: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path / "data"))
    server.serve("tiny", replies.whole(svmlight(X, Y)))
    assert datasets.load("houses").source == server.url("tiny")


def test_the_next_mirror_is_tried(server: Server, tiny: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = replace(tiny.mirrors[0], files=((server.url("gone"), None),))
    other = replace(
        tiny.mirrors[0], files=((server.serve("other", replies.whole(svmlight(2 * X, Y))), None),)
    )
    monkeypatch.setitem(SOURCES, "houses", replace(tiny, mirrors=(gone, other, tiny.mirrors[0])))
    server.serve("tiny", replies.whole(svmlight(X, Y)))
    assert datasets.load("houses").source == server.url("tiny")
    assert server.hits == {"gone": 1, "other": 1, "tiny": 1}


def test_other_data_from_the_web_is_refused(server: Server, tiny: Source, tmp_path: Path) -> None:
    server.serve("tiny", replies.whole(svmlight(2 * X, Y)))
    with pytest.raises(DownloadError, match=r"/tiny does not hold the set 'houses': the SHA-256 sum"):
        datasets.load("houses")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.filterwarnings("ignore:loadtxt")
@pytest.mark.parametrize(
    "body", [b"", b"<html>moved</html>", b"\x1f\x8b broken", b"BZh91AY&SY", b"PK\x03\x04x"]
)
@pytest.mark.parametrize("name", datasets.NAMES)
def test_a_page_in_place_of_a_file_is_refused(
    server: Server, name: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THRESHER_DATA", raising=False)
    monkeypatch.setitem(SOURCES, name, rehosted(SOURCES[name], server))
    for mirror in SOURCES[name].mirrors:
        for url, _ in mirror.files:
            server.serve(path_of(url), replies.whole(body))
    with pytest.raises(DownloadError, match=f"the set '{name}' could not be downloaded: .*give a folder"):
        datasets.load(name)


def test_offline_is_one_sentence_that_says_what_to_do(tiny: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = replace(tiny.mirrors[0], files=(("http://127.0.0.1:9/houses", None),))
    monkeypatch.setitem(SOURCES, "houses", replace(tiny, mirrors=(nowhere,)))
    with pytest.raises(DownloadError) as caught:
        datasets.load("houses")
    assert str(caught.value) == (
        "the set 'houses' could not be downloaded: 127.0.0.1:9 cannot be reached (Connection refused); "
        "without the web, give a folder that holds houses.npz (folder=, or THRESHER_DATA)"
    )


def test_a_cache_that_cannot_be_written_to_says_so(
    server: Server, tiny: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "file" / "cache"))
    server.serve("tiny", replies.whole(svmlight(X, Y)))
    with pytest.raises(datasets.CacheError, match=r"cannot write to .*; set THRESHER_CACHE to a folder"):
        datasets.load("houses")


# --- the public formats


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"folder/{name}", content)
    return out.getvalue()


def tarred(**files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"folder/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda content: content,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "zip": lambda content: zipped(other=b"no", wanted=content),
    "tar": lambda content: tarred(other=b"no", wanted=content),
    "tgz": lambda content: gzip.compress(tarred(other=b"no", wanted=content)),
    "gzip in zip": lambda content: zipped(other=b"no", wanted=gzip.compress(content)),
}


@pytest.mark.parametrize("packing", list(PACKED))
@pytest.mark.parametrize("content", [b"", b"1;2\n", b"text\n" * 1000], ids=len)
def test_files_are_unpacked_by_what_they_are(tmp_path: Path, packing: str, content: bytes) -> None:
    (tmp_path / "file").write_bytes(PACKED[packing](content))
    with formats.opened(tmp_path / "file", "wanted") as stream:
        assert stream.read() == content


@pytest.mark.parametrize("packing", ["zip", "tar", "tgz"])
def test_an_archive_without_the_file_is_an_error(tmp_path: Path, packing: str) -> None:
    (tmp_path / "file").write_bytes(PACKED[packing](b"content"))
    with (
        pytest.raises(ValueError, match="an archive holds 'missing' 0 times"),
        formats.opened(tmp_path / "file", "missing"),
    ):
        pass


def streams(*contents: str) -> list[io.BytesIO]:
    return [io.BytesIO(content.encode()) for content in contents]


def test_libsvm_text() -> None:
    found, y = sources.cadata(*streams("452600.0 1:8.3252000000000006e+00 8:-122.23\n-1.5 2:7\n"))
    np.testing.assert_array_equal(found[0], [8.3252, 0, 0, 0, 0, 0, 0, -122.23])
    np.testing.assert_array_equal(found[1], [0, 7, 0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(y, [452600.0, -1.5])
    assert sources.ijcnn1(*streams("-1 6:1 11:-0.73\n"))[0].shape == (1, 22)
    assert sources.cpu_small(*streams("90 1:6 12:1851864\n"))[0].shape == (1, 12)


def test_wine_is_red_then_white_with_quality_a_column() -> None:
    header = '"fixed acidity";"alcohol";"quality"\n'
    found, y = sources.wine(*streams(header + "7.4;9.4;5\n7.8;9.8;6\n", header + "7;8.8;6\n"))
    np.testing.assert_array_equal(found, [[7.4, 9.4, 5], [7.8, 9.8, 6], [7, 8.8, 6]])
    np.testing.assert_array_equal(y, [1, 1, -1])


def test_covtype_keeps_classes_6_and_7_in_order() -> None:
    lines = ["2596,51,1", "3273,159,7", "2700,10,2", "2100,20,6", "3264,137,7"]
    found, y = sources.covtype(*streams("\n".join(lines)))
    np.testing.assert_array_equal(found, [[3273, 159], [2100, 20], [3264, 137]])
    np.testing.assert_array_equal(y, [-1, 1, -1])


def test_magic_is_gamma_against_hadron() -> None:
    found, y = sources.magic(*streams("28.7967,16.0021,g\n-1.5,2,h\n"))
    np.testing.assert_array_equal(found, [[28.7967, 16.0021], [-1.5, 2]])
    np.testing.assert_array_equal(y, [1, -1])
    with pytest.raises(ValueError, match=r"classes must be g or h, got \['x'\]"):
        sources.magic(*streams("1,2,x\n"))


def test_arff_of_openml() -> None:
    text = "% cpu\n@relation cpu\n@attribute lread integer\n@attribute usr real\n@data\n6,90\n1,88.5\n"
    found, y = sources.cpu_small_arff(*streams(text))
    np.testing.assert_array_equal(found, [[6], [1]])
    np.testing.assert_array_equal(y, [90, 88.5])


def test_statlib_order_becomes_libsvms() -> None:
    line = "-122.23,37.88,41,880,129,322,126,8.3252,452600\n"
    found, y = sources.cal_housing(*streams(line))
    np.testing.assert_array_equal(found, [[8.3252, 41, 880, 129, 322, 126, 37.88, -122.23]])
    np.testing.assert_array_equal(y, [452600])


# --- the real sets, written as the public sources write them, and served from here


def path_of(url: str) -> str:
    return url.partition("://")[2].replace("~", "").replace("+", "")


def rehosted(source: Source, server: Server) -> Source:
    """The same files, members and readers on another host."""
    mirrors = tuple(
        replace(mirror, files=tuple((server.url(path_of(url)), member) for url, member in mirror.files))
        for mirror in source.mirrors
    )
    return replace(source, mirrors=mirrors)


def lines(table: NDArray[np.object_], delimiter: str, header: str = "") -> bytes:
    return (header + "".join(delimiter.join(map(str, row)) + "\n" for row in table)).encode()


def as_wine(X: Array, y: Array) -> dict[str, bytes]:
    header = '"a";"b"\n'
    return {
        "winequality-red.csv": lines(X[y > 0], ";", header),
        "winequality-white.csv": lines(X[y < 0], ";", header),
    }


def as_covtype(X: Array, y: Array) -> bytes:
    """With a row of another class in front, in between and at the end."""
    table = np.column_stack([X, np.where(y > 0, 6, 7)]).astype(int)
    other = np.full((1, table.shape[1]), 2)
    return lines(np.vstack([other, table[:1000], other, table[1000:], other]), ",")


def as_magic(X: Array, y: Array) -> bytes:
    return lines(np.column_stack([X.astype(object), np.where(y > 0, "g", "h")]), ",")


def as_arff(X: Array, y: Array) -> bytes:
    header = "@relation r\n" + "".join(f"@attribute c{j} real\n" for j in range(X.shape[1] + 1)) + "@data\n"
    return lines(np.column_stack([X, y]), ",", header)


def as_statlib(X: Array, y: Array) -> bytes:
    return lines(np.column_stack([X, y])[:, [7, 6, 1, 2, 3, 4, 5, 0, 8]], ",")


def served(name: str, X: Array, y: Array) -> list[dict[str, bytes]]:
    """What each mirror of a set serves, by the end of its URL."""
    match name:
        case "ijcnn1":
            return [{"ijcnn1.bz2": bz2.compress(svmlight(X, y), 1)}]
        case "wine":
            return [{"quality.zip": zipped(**as_wine(X, y))}, as_wine(X, y)]
        case "covtype_6v7":
            packed = gzip.compress(as_covtype(X, y), 1)
            return [
                {"covertype.zip": zipped(**{"covtype.info": b"", "covtype.data.gz": packed})},
                {"5976039": packed},
                {"covtype.data.gz": packed},
            ]
        case "magic":
            return [
                {"telescope.zip": zipped(**{"magic04.data": as_magic(X, y)})},
                {"magic04.data": as_magic(X, y)},
            ]
        case "cpu_small":
            return [{"cpusmall": svmlight(X, y)}, {"cpu_small.arff": as_arff(X, y)}]
        case _:
            packed = gzip.compress(
                tarred(**{"cal_housing.domain": b"", "cal_housing.data": as_statlib(X, y)})
            )
            return [{"cadata": svmlight(X, y)}, {"5976036": packed}]


LARGE = {"ijcnn1", "covtype_6v7"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in LARGE else ()) for n in datasets.NAMES]
)
def test_every_mirror_leads_to_the_same_rows(
    server: Server, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data.real(SOURCES[name].file.removesuffix(".npz"))
    contents = served(name, X, y)
    monkeypatch.delenv("THRESHER_DATA")
    source = rehosted(SOURCES[name], server)
    assert len(contents) == len(source.mirrors)
    for k, (mirror, files) in enumerate(zip(source.mirrors, contents, strict=True)):
        for ending, content in files.items():
            urls = {url for url, _ in mirror.files if url.endswith(ending)}
            assert len(urls) == 1
            server.serve(urls.pop().removeprefix(server.base + "/"), replies.whole(content))
        monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / f"cache{k}"))
        monkeypatch.setitem(SOURCES, name, replace(source, mirrors=(mirror,)))
        found = datasets.load(name)
        np.testing.assert_array_equal(found.X, X)
        np.testing.assert_array_equal(found.y, y)
        assert found.source == mirror.files[0][0]
