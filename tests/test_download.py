"""Files from the web: whole or not at all, whatever the server does."""

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import server as replies
from support.server import Server, running
from thresher.datasets import CacheError, DownloadError, cache_folder
from thresher.datasets import download as module
from thresher.datasets.download import fetch, workspace, written

BODY = bytes(range(256)) * 1000


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as found:
        yield found


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("reply", [replies.whole, replies.unsized])
def test_a_file_arrives_whole(server: Server, tmp_path: Path, reply: object) -> None:
    seen: list[tuple[str, int, int | None]] = []
    url = server.serve("data", reply(BODY))  # type: ignore[operator]
    fetch(url, tmp_path / "new" / "data", progress=lambda *step: seen.append(step))
    assert (tmp_path / "new" / "data").read_bytes() == BODY
    assert left_in(tmp_path / "new") == ["data"]
    done = [step[1] for step in seen]
    assert len(done) > 1
    assert done == sorted(done)
    assert done[-1] == len(BODY)
    assert {step[0] for step in seen} == {url}
    assert {step[2] for step in seen} == {len(BODY) if reply is replies.whole else None}


def test_redirects_are_followed(server: Server, tmp_path: Path) -> None:
    url = server.serve("old", replies.redirect(server.serve("new", replies.whole(BODY))))
    fetch(url, tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == BODY


def test_a_missing_file_is_not_asked_for_twice(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"http://127\.0\.0\.1:\d+/data answered 404 Not Found"):
        fetch(server.url("data"), tmp_path / "data", pause=0.0)
    assert server.hits["data"] == 1
    assert left_in(tmp_path) == []


def test_a_truncated_file_is_begun_anew(server: Server, tmp_path: Path) -> None:
    cut = replies.truncated(BODY, 100_000)
    url = server.serve("data", cut, cut, replies.whole(BODY))
    fetch(url, tmp_path / "data", pause=0.0)
    assert (tmp_path / "data").read_bytes() == BODY
    assert server.hits["data"] == 3


def test_a_file_that_stays_truncated_leaves_nothing(server: Server, tmp_path: Path) -> None:
    url = server.serve("data", replies.truncated(BODY, 100_000))
    with pytest.raises(DownloadError, match=r"/data ended after 100000 of 256000 bytes"):
        fetch(url, tmp_path / "data", pause=0.0)
    assert server.hits["data"] == 3
    assert left_in(tmp_path) == []


def test_an_overloaded_server_is_asked_again(server: Server, tmp_path: Path) -> None:
    url = server.serve("data", replies.status(503), replies.whole(BODY))
    fetch(url, tmp_path / "data", pause=0.0)
    assert server.hits["data"] == 2
    assert (tmp_path / "data").read_bytes() == BODY


@pytest.mark.parametrize("after", [b"", BODY], ids=["at once", "midway"])
def test_a_silent_server_is_given_up(server: Server, tmp_path: Path, after: bytes) -> None:
    url = server.serve("data", server.silent(after))
    words = "stopped sending" if after else r"did not answer within 0\.2 s"
    with pytest.raises(DownloadError, match=words):
        fetch(url, tmp_path / "data", timeout=0.2, attempts=2, pause=0.0)
    assert server.hits["data"] == 2
    assert left_in(tmp_path) == []


def test_an_answer_that_is_not_http_is_an_error(server: Server, tmp_path: Path) -> None:
    url = server.serve("data", replies.nonsense)
    with pytest.raises(DownloadError, match="gave no proper answer"):
        fetch(url, tmp_path / "data", pause=0.0)


def test_a_refused_connection_says_so(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(DownloadError, match=rf"127\.0\.0\.1:{port} cannot be reached \(Connection refused\)"):
        fetch(f"http://127.0.0.1:{port}/data", tmp_path / "data")
    assert left_in(tmp_path) == []


def test_an_earlier_file_survives_a_failure(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"earlier")
    with pytest.raises(DownloadError):
        fetch(server.url("data"), tmp_path / "data", pause=0.0)
    assert (tmp_path / "data").read_bytes() == b"earlier"


def test_a_full_disk_says_so(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __init__(self, descriptor: int, mode: str) -> None:
            self.descriptor = descriptor

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *error: object) -> None:
            os.close(self.descriptor)

        def write(self, chunk: bytes) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    url = server.serve("data", replies.whole(BODY))
    monkeypatch.setattr(module.os, "fdopen", Full)
    with pytest.raises(CacheError, match=f"no space left in {tmp_path}"):
        fetch(url, tmp_path / "data", pause=0.0)
    assert server.hits["data"] == 1
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("use", [written, workspace])
def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path, use: object) -> None:
    (tmp_path / "file").write_text("in the way")
    place = tmp_path / "file" / "folder"
    target = place / "data" if use is written else place
    refused = pytest.raises(CacheError, match=rf"cannot write to {place}: .*set THRESHER_CACHE")
    with refused, use(target):  # type: ignore[operator]
        pass


def test_a_folder_without_permission_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(module.tempfile, "mkstemp", refuse)
    with pytest.raises(
        CacheError, match=f"cannot write to {tmp_path}: permission denied; set THRESHER_CACHE"
    ):
        fetch("http://127.0.0.1:9/never-asked", tmp_path / "data")


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("THRESHER_CACHE", raising=False)
    assert cache_folder() == tmp_path / "home" / ".cache" / "thresher"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "thresher"
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
