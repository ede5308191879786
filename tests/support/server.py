"""A web server on this machine that answers as scripted, rightly or wrongly."""

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

Reply = Callable[[BaseHTTPRequestHandler], None]


def whole(body: bytes) -> Reply:
    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return reply


def unsized(body: bytes) -> Reply:
    """All of it, without saying how much that is."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        request.wfile.write(body)

    return reply


def truncated(body: bytes, sent: int) -> Reply:
    """A promise of everything, and then only so many bytes."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[:sent])

    return reply


def status(code: int) -> Reply:
    return lambda request: request.send_error(code)


def redirect(place: str) -> Reply:
    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", place)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return reply


def nonsense(request: BaseHTTPRequestHandler) -> None:
    """An answer that is not HTTP."""
    request.wfile.write(b"220 ready\r\n")


class Server:
    """What is served, and how often each path was asked for."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.hits: Counter[str] = Counter()
        self.released = threading.Event()
        self._scripts: dict[str, list[Reply]] = defaultdict(list)

    def url(self, path: str) -> str:
        return f"{self.base}/{path}"

    def serve(self, path: str, *replies: Reply) -> str:
        """Answer with each reply in turn, with the last one from then on."""
        self._scripts[path] = list(replies)
        return self.url(path)

    def silent(self, after: bytes = b"") -> Reply:
        """Begin, and then send nothing more until the test is over."""

        def reply(request: BaseHTTPRequestHandler) -> None:
            if after:
                request.send_response(200)
                request.send_header("Content-Length", str(2 * len(after)))
                request.end_headers()
                request.wfile.write(after)
                request.wfile.flush()
            self.released.wait(30.0)

        return reply

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = unquote(request.path.lstrip("/"))
        self.hits[path] += 1
        script = self._scripts[path]
        reply = status(404) if not script else script.pop(0) if len(script) > 1 else script[0]
        reply(request)


@contextmanager
def running() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.answer(self)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = Server(f"http://127.0.0.1:{http.server_address[1]}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        http.shutdown()
        http.server_close()
        thread.join()
