"""Tracing over the OpenTelemetry protocol (OTLP over HTTP). This module is imported only if tracing
is enabled, because only requirements/otel.txt contains its libraries."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from temporalio.contrib.opentelemetry import TracingInterceptor

_SERVICE: Final = "support-engine"
# Timeout for a request to the collector, in seconds. If the collector does not respond, only the
# sending thread is blocked.
_ANSWERS_WITHIN_S: Final = 3
# Maximum time for sending the remaining spans when the process exits, in seconds.
_LAST_S: Final = 2.0
# Only these attributes are exported: the service's ids, codes and names. Attributes set by
# libraries may contain customer data.
_KEPT: Final = frozenset(
    {
        "temporalWorkflowID",
        "temporalRunID",
        "temporalActivityID",
        "temporalUpdateID",
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "request_id",
        "client_id",
        "event_id",
    }
)


class _RequestSpan:
    """The span of one request. Implements `adapters.observability.tracing.RequestSpan`."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def ended(self, method: str, route: str, status: int, known: dict[str, str]) -> None:
        """End the span. `status` is 0 without a response. `known` are the request's ids."""
        self._span.update_name(f"{method} {route}")
        self._span.set_attributes({"http.request.method": method, "http.route": route, **known})
        if status:
            self._span.set_attribute("http.response.status_code", status)
        if status == 0 or status >= 500:
            self._span.set_status(StatusCode.ERROR)


class _Traces:
    """The traces of a process. Implements `adapters.observability.tracing.Traces`."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self.interceptor = _Interceptor(tracer)

    @contextmanager
    def request(self) -> Iterator[_RequestSpan]:
        # Incoming trace headers are ignored because callers are untrusted.
        with self._tracer.start_as_current_span("request", kind=SpanKind.SERVER) as span:
            yield _RequestSpan(span)


class _Interceptor(TracingInterceptor):
    # Only the trace context is propagated, without baggage.
    text_map_propagator = TraceContextTextMapPropagator()


class _Reticent(SpanExporter):
    """An exporter that sends only the name, ids, times and known attributes of each span. Error
    details are omitted because error messages quote customer text (decision 0020)."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([_redacted(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()


def _redacted(span: ReadableSpan) -> ReadableSpan:
    attributes = span.attributes or {}
    return ReadableSpan(
        name=span.name,
        context=span.get_span_context(),
        parent=span.parent,
        resource=span.resource,
        attributes={name: value for name, value in attributes.items() if name in _KEPT},
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


@contextmanager
def sending(endpoint: str, process: str) -> Iterator[_Traces]:
    """Send this process's spans to `endpoint`/v1/traces in batches, from a separate thread. If the
    endpoint does not respond, only 2,048 spans are kept."""
    exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=_ANSWERS_WITHIN_S)
    provider = TracerProvider(
        resource=Resource.create({SERVICE_NAME: f"{_SERVICE}-{process}"}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(_Reticent(exporter)))
    try:
        yield _Traces(provider.get_tracer(_SERVICE))
    finally:
        last = Thread(target=provider.shutdown, daemon=True)
        last.start()
        last.join(_LAST_S)
