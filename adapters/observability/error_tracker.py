"""Error trackers: Sentry, or whoever keeps reports where there is no DSN."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, cast

import sentry_sdk
import structlog
from sentry_sdk.transport import HttpTransport
from sentry_sdk.types import Event, Hint
from tenacity import AsyncRetrying, retry_if_exception_type, wait_exponential

from adapters.observability.metrics import Metrics
from adapters.observability.redaction import Redactor
from domain.core.error_report import ErrorReport
from domain.core.errors import EngineUnavailable
from domain.core.ports import ErrorTracker

Keep = Callable[[ErrorReport], Awaitable[None]]

QUEUE_SIZE: Final = 1_000
_FLUSH_S: Final = 2.0
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0
# All that a report has. What a library may add (request, user, breadcrumbs, extra, modules,
# server_name) is not on the list.
_EVENT_FIELDS: Final = frozenset(
    {"event_id", "timestamp", "level", "platform", "transaction", "message", "tags", "exception",
     "fingerprint", "environment", "release", "sdk"}
)  # fmt: skip
# Nor these, deeper in: source and locals of a frame, an exception's message.
_UNWANTED: Final = frozenset({"vars", "context_line", "pre_context", "post_context", "value"})

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def error_tracker(
    dsn: str | None, keep: Keep, redactor: Redactor, metrics: Metrics
) -> AsyncIterator[ErrorTracker]:
    """Sentry if there is a DSN, else `keep` behind a queue. The end of the block flushes it."""
    if dsn:
        sentry = SentryTracker(dsn, redactor, metrics)
        try:
            yield sentry
        finally:
            await asyncio.to_thread(sentry.close)
        return
    queued = QueuedTracker(keep, metrics)
    writing = asyncio.create_task(queued.write())
    try:
        yield queued
    finally:
        await queued.flush()
        writing.cancel()
        await asyncio.wait({writing}, timeout=_FLUSH_S)


class QueuedTracker:
    """Hands reports to `keep`, one after the other and in the background.

    While `keep` raises EngineUnavailable it is asked again, and reports wait in the queue; one too
    many is dropped.
    """

    def __init__(self, keep: Keep, metrics: Metrics, *, size: int = QUEUE_SIZE) -> None:
        self._keep = keep
        self._metrics = metrics
        self._waiting: asyncio.Queue[ErrorReport] = asyncio.Queue(size)

    def report(self, report: ErrorReport) -> None:
        self._metrics.reported(report.code)
        try:
            self._waiting.put_nowait(report)
        except asyncio.QueueFull:
            self._drop("queue full")

    async def write(self) -> None:
        """Keep what comes, for ever."""
        insisting = AsyncRetrying(
            retry=retry_if_exception_type(EngineUnavailable),
            wait=wait_exponential(_FIRST_PAUSE_S, max=_LONGEST_PAUSE_S),
        )
        while True:
            report = await self._waiting.get()
            try:
                async for attempt in insisting:
                    with attempt:
                        await self._keep(report)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next one gets its turn
                self._drop(type(error).__name__)
            finally:
                self._waiting.task_done()

    async def flush(self) -> None:
        """Wait until the queue is empty, or a short time is over; the rest is dropped."""
        try:
            async with asyncio.timeout(_FLUSH_S):
                await self._waiting.join()
        except TimeoutError:
            _log.warning("error reports not kept", number=self._waiting.qsize() + 1)

    def _drop(self, reason: str) -> None:
        self._metrics.report_dropped()
        _log.warning("error report dropped", reason=reason)


class SentryTracker:
    """Reports to Sentry. A client of its own, with no integration: it sends what it is handed.

    Its queue and its thread are the SDK's; what does not fit or does not arrive is dropped.
    """

    def __init__(self, dsn: str, redactor: Redactor, metrics: Metrics) -> None:
        self._redactor = redactor
        self._metrics = metrics
        self._client = sentry_sdk.Client(
            dsn=dsn,
            transport=_counting(metrics),
            before_send=self._scrub,
            # Integrations would capture by themselves; what identifies people is off by default.
            default_integrations=False,
            auto_enabling_integrations=False,
            max_breadcrumbs=0,
            max_request_body_size="never",
            include_local_variables=False,
            include_source_context=False,
            attach_stacktrace=False,
            auto_session_tracking=False,
            send_client_reports=False,
            enable_backpressure_handling=False,
            propagate_traces=False,
        )

    def report(self, report: ErrorReport) -> None:
        self._metrics.reported(report.code)
        try:
            self._client.capture_event(_event(report))
        except Exception as error:  # noqa: BLE001 - a tracker must not break what it watches
            self._metrics.report_dropped()
            _log.warning("error report dropped", reason=type(error).__name__)

    def close(self) -> None:
        """Wait a short time for what is under way. Blocks."""
        self._client.close(timeout=_FLUSH_S)

    def _scrub(self, event: Event, _: Hint) -> Event | None:
        """The last look at what leaves us: known fields only, each masked."""
        known = {name: _bare(value) for name, value in event.items() if name in _EVENT_FIELDS}
        scrubbed: dict[str, object] = self._redactor.mapping(known)
        return cast("Event", scrubbed)


def _bare(value: object) -> object:
    if isinstance(value, dict):
        return {name: _bare(inner) for name, inner in value.items() if name not in _UNWANTED}
    if isinstance(value, list):
        return [_bare(inner) for inner in value]
    return value


def _counting(metrics: Metrics) -> type[HttpTransport]:
    class Counting(HttpTransport):
        def on_dropped_event(self, _reason: str) -> None:
            metrics.report_dropped()

    return Counting


def _event(report: ErrorReport) -> Event:
    known = {
        "request_id": report.request_id,
        "client_id": report.client_id,
        "event_id": report.event_id,
    }
    first = report.exceptions[0].type if report.exceptions else ""
    event: Event = {
        "timestamp": report.created_at,
        "level": "error",
        "transaction": report.place,
        "message": report.code,
        "tags": {"code": report.code, **{name: value for name, value in known.items() if value}},
        "fingerprint": [report.place, report.code, first],
    }
    if report.exceptions:
        event["exception"] = {
            "values": [
                {
                    "type": one.type,
                    "stacktrace": {
                        "frames": [
                            {"filename": it.file, "lineno": it.line, "function": it.function}
                            for it in one.frames
                        ]
                    },
                }
                # Sentry wants the cause before what it caused.
                for one in reversed(report.exceptions)
            ]
        }
    return event
