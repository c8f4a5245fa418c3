"""The error tracker of a process. It counts errors per kind and client, and loses none
(docs/decisions/0078)."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from tenacity import AsyncRetrying, retry_if_exception_type, wait_exponential

from adapters.observability.metrics import Metrics
from adapters.observability.redaction import Redactor
from adapters.observability.report_spool import ReportSpool
from adapters.system import new_ulid
from domain.core.error_report import ErrorReport
from domain.core.errors import EngineUnavailable
from domain.core.ports import ErrorTracker

Send = Callable[[str, ErrorReport], Awaitable[None]]
"""A function that sends a report, deduplicated by id. Raises EngineUnavailable if the report must
be sent again."""

REPORT_EVERY_S: Final = 10.0
MAX_OPEN: Final = 2_000
"""Maximum number of open reports. Once it is reached, new kinds of errors are counted without their
client."""
_ADOPT_EVERY_S: Final = 60.0
_SYNC_EVERY_S: Final = 0.5
_FLUSH_S: Final = 2.0
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0

_Kind = tuple[str, str, str, str | None]

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def error_tracker(
    dsn: str | None, spool: Path, keep: Send, redactor: Redactor, metrics: Metrics
) -> AsyncIterator[ErrorTracker]:
    """Run the process's error tracker. It sends reports to Sentry if `dsn` is set, else to `keep`.

    On exit, it briefly sends the remaining reports. Unsent ones stay in the spool for the next
    process. Raises InvalidInput if the spool is not writable.
    """
    async with AsyncExitStack() as held:
        send = keep
        if dsn:
            # The module is imported here because few installations use Sentry.
            from adapters.observability.sentry import SentrySender  # noqa: PLC0415 - loaded only if used

            sentry = SentrySender(dsn, redactor)
            held.push_async_callback(sentry.close)
            send = sentry.send
        reports = ReportSpool(spool, new_ulid())
        held.callback(reports.close)
        tracker = SpooledTracker(reports, send, metrics)
        running = asyncio.create_task(tracker.run())
        try:
            yield tracker
        finally:
            running.cancel()
            await asyncio.wait({running})
            await tracker.flush()


@dataclass(slots=True)
class _Open:
    """An error report that has not been sent, with the number of its occurrences. `due_at` is in
    seconds of the monotonic clock."""

    id: str
    report: ErrorReport
    due_at: float


class SpooledTracker:
    """An error tracker that sends the first error of each kind immediately, and counts further ones
    in a report `REPORT_EVERY_S` later.

    A kind is a code location, error code, exception type and client. `report` writes each error to
    the spool, where it stays until its report is sent or dropped.
    """

    def __init__(
        self,
        spool: ReportSpool,
        send: Send,
        metrics: Metrics,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spool = spool
        self._send = send
        self._metrics = metrics
        self._monotonic = monotonic
        self._open: dict[_Kind, _Open] = {}
        self._sending: _Open | None = None
        self._earliest: dict[_Kind, float] = {}
        self._wake = asyncio.Event()
        self._unsynced: set[str] = set()
        self._changed = asyncio.Event()

    def report(self, report: ErrorReport) -> None:
        self._metrics.reported(report.code)
        kind = _kind_of(report)
        if kind not in self._open and len(self._open) >= MAX_OPEN:
            report = report.model_copy(
                update={"client_id": None, "event_id": None, "request_id": None}
            )
            kind = _kind_of(report)
        there = self._open.get(kind)
        with self._spooling():
            if there is None:
                self._add(kind, report)
            else:
                number = there.report.occurrences + 1
                there.report = there.report.model_copy(update={"occurrences": number})
                self._unsynced.add(there.id)
                self._changed.set()
                self._spool.count(there.id, number)

    def _add(self, kind: _Kind, report: ErrorReport) -> None:
        now = self._monotonic()
        added = _Open(new_ulid(), report, max(now, self._earliest.get(kind, now)))
        self._open[kind] = added
        self._wake.set()
        self._unsynced.add(added.id)
        self._changed.set()
        self._spool.add(added.id, report)

    async def run(self) -> None:
        """Send reports, adopt the reports left by processes that have exited, and sync the spool.
        Repeat this until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._hand_over_for_ever())
            group.create_task(self._sync_for_ever())
            group.create_task(self._adopt_for_ever())

    async def flush(self) -> None:
        """Send the open reports for at most `_FLUSH_S` seconds. Unsent reports stay in the
        spool."""
        left = ([self._sending] if self._sending else []) + [*self._open.values()]
        self._open.clear()
        try:
            async with asyncio.timeout(_FLUSH_S):
                while left:
                    await self._hand_over(left[0])
                    del left[0]
        except TimeoutError:
            _log.warning("error reports are waiting in the spool", number=len(left))

    async def _hand_over_for_ever(self) -> None:
        while True:
            self._sending = await self._next_due()
            await self._hand_over(self._sending)
            self._sending = None

    async def _next_due(self) -> _Open:
        while True:
            self._wake.clear()
            now = self._monotonic()
            kind = min(self._open, key=lambda one: self._open[one].due_at, default=None)
            if kind is not None and self._open[kind].due_at <= now:
                self._earliest = {one: at for one, at in self._earliest.items() if at > now}
                self._earliest[kind] = now + REPORT_EVERY_S
                return self._open.pop(kind)
            with suppress(TimeoutError):
                async with asyncio.timeout(None if kind is None else self._open[kind].due_at - now):
                    await self._wake.wait()

    async def _hand_over(self, one: _Open) -> None:
        insisting = AsyncRetrying(
            retry=retry_if_exception_type(EngineUnavailable),
            wait=wait_exponential(_FIRST_PAUSE_S, max=_LONGEST_PAUSE_S),
        )
        try:
            async for attempt in insisting:
                with attempt:
                    await self._send(one.id, one.report)
        except Exception as error:  # noqa: BLE001 - no report may hold up the next one
            self._metrics.report_dropped()
            _log.warning("error report dropped", reason=type(error).__name__)
        with self._spooling():
            self._spool.remove(one.id)

    async def _adopt_for_ever(self) -> None:
        while True:
            with self._spooling():
                for report_id, report in self._spool.adopt():
                    # No new error has this key, so an adopted report's count does not increase.
                    self._open[report_id, "", "", None] = _Open(report_id, report, 0.0)
                    self._wake.set()
            await asyncio.sleep(_ADOPT_EVERY_S)

    async def _sync_for_ever(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            changed, self._unsynced = self._unsynced, set()
            with self._spooling():
                await asyncio.to_thread(self._spool.sync, changed)
            await asyncio.sleep(_SYNC_EVERY_S)

    @contextmanager
    def _spooling(self) -> Iterator[None]:
        """Log an OSError raised in the block, such as a full disk, and suppress it. In that case,
        the report is only in memory, but the caller still gets a response."""
        try:
            yield
        except OSError as error:
            self._metrics.report_not_spooled()
            _log.error("failed to spool an error report", reason=error.strerror)


def _kind_of(report: ErrorReport) -> _Kind:
    first = report.exceptions[0].type if report.exceptions else ""
    return report.place, report.code, first, report.client_id
