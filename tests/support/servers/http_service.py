"""A local server for a third-party HTTP service, with every kind of fault."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import HTTP
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

HUGE = 10 * 1024 * 1024
_LET_GO_S = 30


class Fault(StrEnum):
    """The fault that replaces the response."""

    STATUS = "status"
    HANG = "hang"
    CUT = "cut"
    GARBAGE = "garbage"
    HUGE = "huge"
    DRIP = "drip"
    LATE = "late"


@dataclass(frozen=True)
class Planned:
    """A fault of the next request with `method`, the HTTP method or the service's own
    (`HttpService.method`). `after` does the request's work first."""

    fault: Fault
    method: str
    after: bool
    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str]
    authorization: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    raw: bytes = field(default=b"", repr=False)

    @property
    def files(self) -> list[tuple[str, str, str, bytes]]:
        """Return the files of a multipart form: field, name, type and content."""
        return [
            (field_name, name, part.get_content_type(), part.get_payload(decode=True))
            for field_name, name, part in self._parts()
            if name
        ]

    @property
    def texts(self) -> dict[str, str]:
        """Return the other fields of a multipart form."""
        return {
            field_name: part.get_payload(decode=True).decode()
            for field_name, name, part in self._parts()
            if not name
        }

    def _parts(self) -> list[tuple[str, str, Any]]:
        head = f"content-type: {self.headers['content-type']}\r\n\r\n".encode()
        message = message_from_bytes(head + self.raw, policy=HTTP)
        return [
            (str(part.get_param("name", "", "content-disposition")), part.get_filename(""), part)
            for part in message.iter_parts()
        ]


@dataclass(frozen=True)
class Reply:
    """A response. `body` is a value that is sent as JSON, bytes that are sent unchanged, or None
    for no body."""

    status: int = 200
    body: object = field(default_factory=dict)


def _encoded(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    return b"" if body is None else json.dumps(body).encode()


class HttpService:
    """A local HTTP server. Subclasses respond in `route`, one request at a time. `seen` contains
    the requests in order."""

    def __init__(self) -> None:
        self.url = ""
        self.seen: list[Request] = []
        self.let_go = threading.Event()
        self._lock = threading.Lock()
        self._planned: list[Planned] = []

    def route(self, request: Request) -> Reply:
        raise NotImplementedError

    def method(self, request: Request) -> str:
        return request.method

    def fail_next(
        self,
        fault: Fault,
        method: str,
        *,
        after: bool = False,
        status: int = 500,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._planned.append(Planned(fault, method, after, status, headers or {}))

    def forget_faults(self) -> None:
        self._planned.clear()

    def take(self, request: Request) -> tuple[Planned | None, Reply]:
        """Return the current fault and the service's response, with or without the work."""
        with self._lock:
            self.seen.append(request)
            method = self.method(request)
            planned = next((it for it in self._planned if it.method == method), None)
            if planned is not None:
                self._planned.remove(planned)
                if not planned.after:
                    return planned, Reply()
            return planned, self.route(request)


Service = TypeVar("Service", bound=HttpService)


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    class Handler(_Handler):
        kept = service

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield service
    finally:
        service.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    kept: HttpService
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        url = urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        content_type = self.headers.get("content-type", "")
        is_form = content_type == "application/x-www-form-urlencoded"
        is_json = content_type in ("", "application/json")
        request = Request(
            method=self.command,
            path=url.path,
            query=dict(parse_qsl(url.query)),
            authorization=self.headers.get("authorization", ""),
            body=dict(parse_qsl(raw.decode()))
            if is_form
            else json.loads(raw or b"{}")
            if is_json
            else {},
            headers={name.lower(): value for name, value in self.headers.items()},
            raw=raw,
        )
        planned, reply = self.kept.take(request)
        if planned is None:
            self._answer(reply.status, _encoded(reply.body), {})
            return
        match planned.fault:
            case Fault.STATUS:
                self._answer(planned.status, b'{"error": "planned"}', planned.headers)
            case Fault.GARBAGE:
                self._answer(200, b"<html>not what you asked for", {})
            case Fault.HUGE:
                self._answer(200, b" " * HUGE, {})
            case Fault.HANG:
                self.kept.let_go.wait(_LET_GO_S)
                self.close_connection = True
            case Fault.LATE:
                self.kept.let_go.wait(_LET_GO_S)
                self._answer(reply.status, _encoded(reply.body), {})
            case Fault.CUT:
                self.close_connection = True
            case Fault.DRIP:
                self._drip()

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the library's names

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        # The caller may have disconnected.
        with suppress(ConnectionError):
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def _drip(self) -> None:
        with suppress(ConnectionError):
            self.send_response(200)
            self.send_header("content-length", str(HUGE))
            self.end_headers()
            while not self.kept.let_go.wait(0.02):
                self.wfile.write(b" ")
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - likewise
        """Write nothing to standard error."""
