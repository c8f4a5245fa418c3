"""The curl command, parsed by a real shell and, if available, sent by a real curl."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.webhooks.curl import curl_line

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
EVIL = """@/etc/passwd '$(id)' `id` !! "é" \\ \n ; & | > #"""


@settings(max_examples=50)
@given(WORDS, WORDS)
def test_a_shell_reads_exactly_these_words(value: str, body: str) -> None:
    line = curl_line("https://shop.example/a?b='[1]'", {"X-One": value}, body)
    read = subprocess.run(
        ["sh", "-c", "curl() { printf '%s\\0' \"$@\"; }\n" + line], capture_output=True, check=True
    )
    assert read.stdout.decode().split("\0") == [
        "--include", "--globoff", "--request", "POST", "https://shop.example/a?b='[1]'",
        "--header", f"X-One: {value}", "--data-raw", body, "",
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
@pytest.mark.parametrize("body", [EVIL, EVIL[1:], "{}\r\n", ""])
def test_curl_sends_exactly_these_bytes(body: str) -> None:
    headers = {"Content-Type": "application/json", "User-Agent": "Service-Webhooks/1.0"}
    with _receiver() as (port, seen):
        line = curl_line(f"http://127.0.0.1:{port}/a?b=[1]", headers, body)
        done = subprocess.run(
            ["sh", "-c", line],
            env={"PATH": os.environ["PATH"]},  # without a proxy
            capture_output=True,
            check=True,
            timeout=20,
        )
    assert done.stdout.startswith(b"HTTP/1.0 204")
    assert seen == [("/a?b=[1]", "application/json", "Service-Webhooks/1.0", body.encode())]


@contextmanager
def _receiver() -> Iterator[tuple[int, list[tuple[str, str, str, bytes]]]]:
    seen: list[tuple[str, str, str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = self.headers
            seen.append((self.path, headers["content-type"], headers["user-agent"], body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
