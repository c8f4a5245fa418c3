"""Trackers: what arrives is bare, what is slow or dead costs nobody anything."""

import asyncio
import time
from datetime import UTC, datetime

from adapters.observability.error_tracker import QueuedTracker, SentryTracker, error_tracker
from adapters.observability.metrics import Metrics
from adapters.observability.redaction import Redactor
from domain.core.error_report import ErrorReport, raised
from domain.core.errors import EngineUnavailable
from tests.support.core.waiting import eventually
from tests.support.servers.sentry import sentry_server

NOW = datetime(2026, 11, 21, tzinfo=UTC)
CANARY = "ibis-canary-42"


def fail(words: str) -> None:
    secret = f"ak_{words}"
    raise ValueError(f"cannot parse {secret}")


def report(place: str = "POST /x") -> ErrorReport:
    try:
        try:
            fail(CANARY)
        except ValueError as cause:
            raise RuntimeError(CANARY) from cause
    except RuntimeError as error:
        return ErrorReport(
            place=place,
            code="internal_error",
            created_at=NOW,
            request_id="r1",
            client_id="c1",
            exceptions=raised(error),
        )
    raise AssertionError("it fails")


def dropped(metrics: Metrics) -> float | None:
    return metrics.registry.get_sample_value("engine_error_reports_dropped_total")


async def _nobody(_: ErrorReport) -> None:
    raise AssertionError("with a DSN nothing is stored")


async def test_sentry_gets_types_and_places_only() -> None:
    with sentry_server() as sentry:
        async with error_tracker(sentry.dsn, _nobody, Redactor(), Metrics()) as tracker:
            tracker.report(report("GET /who?jane.doe@example.com"))

        (event,) = sentry.events
    first, last = event["exception"]["values"]
    assert (first["type"], last["type"]) == ("ValueError", "RuntimeError")
    assert first["stacktrace"]["frames"][-1]["function"] == "fail"
    assert event["tags"] == {"code": "internal_error", "request_id": "r1", "client_id": "c1"}
    assert event["transaction"] == "GET /who?[redacted]"
    assert not {"request", "user", "breadcrumbs", "extra", "server_name"} & set(event)
    assert CANARY.encode() not in b"".join(sentry.raw)
    assert b'"vars"' not in b"".join(sentry.raw)


async def test_what_a_library_adds_is_taken_away() -> None:
    tracker = SentryTracker("http://key@127.0.0.1:1/7", Redactor(), Metrics())
    event = tracker._scrub(
        {
            "transaction": "GET /x",
            "request": {"data": CANARY, "headers": {"x": CANARY}},
            "server_name": CANARY,
            "extra": {"x": CANARY},
            "exception": {
                "values": [
                    {
                        "type": "E",
                        "value": CANARY,
                        "stacktrace": {"frames": [{"vars": {"x": CANARY}, "context_line": CANARY}]},
                    }
                ]
            },
        },
        {},
    )

    assert event is not None
    assert CANARY not in str(event)
    assert event["transaction"] == "GET /x"


async def test_silent_sentry_delays_nothing() -> None:
    metrics = Metrics()
    with sentry_server() as sentry:
        sentry.silent = True
        started = time.monotonic()
        async with error_tracker(sentry.dsn, _nobody, Redactor(), metrics) as tracker:
            for _ in range(300):
                tracker.report(report())
            assert time.monotonic() - started < 5
        assert time.monotonic() - started < 10
        assert (dropped(metrics) or 0) > 0


async def test_reports_wait_for_the_database() -> None:
    kept: list[str] = []
    away = True

    async def keep(one: ErrorReport) -> None:
        nonlocal away
        if away:
            away = False
            raise EngineUnavailable("away")
        kept.append(one.place)

    async with error_tracker(None, keep, Redactor(), Metrics()) as tracker:
        tracker.report(report("first"))
        tracker.report(report("second"))
        await eventually(lambda: _equal(kept, ["first", "second"]))


async def test_one_that_cannot_be_kept_holds_up_no_other() -> None:
    kept: list[str] = []
    metrics = Metrics()

    async def keep(one: ErrorReport) -> None:
        if one.place == "bad":
            raise ValueError(CANARY)
        kept.append(one.place)

    async with error_tracker(None, keep, Redactor(), metrics) as tracker:
        tracker.report(report("bad"))
        tracker.report(report("good"))
    assert kept == ["good"]
    assert dropped(metrics) == 1


async def test_full_queue_drops_and_counts() -> None:
    metrics = Metrics()

    async def never(_: ErrorReport) -> None:
        await asyncio.Event().wait()

    tracker = QueuedTracker(never, metrics, size=2)
    for _ in range(5):
        tracker.report(report())

    assert dropped(metrics) == 3
    reported = metrics.registry.get_sample_value(
        "engine_error_reports_total", {"code": "internal_error"}
    )
    assert reported == 5


async def test_shutdown_does_not_wait_for_a_dead_database() -> None:
    async def never(_: ErrorReport) -> None:
        await asyncio.Event().wait()

    started = time.monotonic()
    async with error_tracker(None, never, Redactor(), Metrics()) as tracker:
        tracker.report(report())
    assert time.monotonic() - started < 5


async def _equal(left: list[str], right: list[str]) -> bool:
    return left == right
