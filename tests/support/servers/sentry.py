"""Sentry's ingest endpoint on loopback, which stores received events or does not respond."""

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class SentryServer:
    """A Sentry server. `raw` are the received bodies, decompressed, and `events` their error
    events. `status` is the responses' status."""

    def __init__(self, port: int) -> None:
        self.dsn = f"http://0123456789abcdef@127.0.0.1:{port}/7"
        self.raw: list[bytes] = []
        self.let_go = threading.Event()
        self.silent = False
        self.status = 200

    @property
    def events(self) -> list[dict[str, Any]]:
        found = []
        for body in self.raw:
            lines = body.splitlines()
            for head, payload in zip(lines[1::2], lines[2::2], strict=True):
                if json.loads(head)["type"] == "event":
                    found.append(json.loads(payload))
        return found


@contextmanager
def sentry_server() -> Iterator[SentryServer]:
    class Ingest(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if kept.silent:
                kept.let_go.wait(30)
                return
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            kept.raw.append(body)
            self.send_response(kept.status)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - likewise
            """Write nothing to standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Ingest)
    kept = SentryServer(server.server_port)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield kept
    finally:
        kept.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()
