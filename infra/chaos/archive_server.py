"""An emulation of the Internet Archive's Save Page Now and its availability API, on loopback."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class ArchiveServer(ThreadingHTTPServer):
    """Counts the captures of each page; `now` dates them."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__(("127.0.0.1", 0), ArchiveHandler)
        self.now = now
        self.captured: Counter[str] = Counter()
        self.timestamps: dict[str, str] = {}

    def capture(self, page: str) -> None:
        self.captured[page] += 1
        self.timestamps[page] = time.strftime("%Y%m%d%H%M%S", time.gmtime(self.now()))

    def find_copy(self, page: str) -> dict[str, object]:
        """The answer of the availability API."""
        if page not in self.captured:
            return {}
        url = f"http://web.archive.org{self.copy_path(page)}"
        return {"closest": {"available": True, "url": url, "timestamp": self.timestamps[page]}}

    def copy_path(self, page: str) -> str:
        return f"/web/{self.timestamps[page]}/{page}"

    def handle_error(self, *_: object) -> None:
        pass  # a client that was killed


class ArchiveHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ArchiveServer

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        [page] = parse_qs(url.query).get("url", [""])
        if url.path == "/save/":
            self.server.capture(page)
            self._respond(b"<html>the copy", **{"content-location": self.server.copy_path(page)})
        else:
            self._respond(json.dumps({"archived_snapshots": self.server.find_copy(page)}).encode())

    def _respond(self, body: bytes, **headers: str) -> None:
        self.send_response(200)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve_archive(now: Callable[[], float]) -> Iterator[tuple[str, Counter[str]]]:
    """Run the server; yield its address and the number of captures of each page."""
    server = ArchiveServer(now)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.captured
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
