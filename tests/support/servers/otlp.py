"""An OpenTelemetry collector on loopback, which stores received spans or does not respond."""

import gzip
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue


@dataclass(frozen=True)
class SentSpan:
    """A span. `process` is its `service.name`. Ids are hexadecimal, and `parent` is "" for a root
    span."""

    process: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: Mapping[str, str | int]
    failed: bool


class Collector:
    """An OpenTelemetry collector. `raw`: received bodies, decompressed."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.raw: list[bytes] = []
        self.asked = threading.Event()
        self.let_go = threading.Event()
        self.silent = False

    @property
    def spans(self) -> list[SentSpan]:
        return [span for body in self.raw for span in _spans(body)]


def _spans(body: bytes) -> Iterator[SentSpan]:
    for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
        process = str(_values(sent.resource.attributes)["service.name"])
        for scope in sent.scope_spans:
            for span in scope.spans:
                assert not span.events
                assert not span.status.message
                yield SentSpan(
                    process=process,
                    name=span.name,
                    trace=span.trace_id.hex(),
                    id=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    attributes=_values(span.attributes),
                    failed=span.status.code == span.status.STATUS_CODE_ERROR,
                )


def _values(attributes: Iterable[KeyValue]) -> dict[str, str | int]:
    return {
        one.key: one.value.int_value if one.value.HasField("int_value") else one.value.string_value
        for one in attributes
    }


@contextmanager
def otlp_collector() -> Iterator[Collector]:
    class Ingest(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.asked.set()
            if kept.silent:
                kept.let_go.wait(30)
                return
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            assert self.path == "/v1/traces"
            kept.raw.append(body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Write nothing to standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Ingest)
    kept = Collector(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield kept
    finally:
        kept.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()
