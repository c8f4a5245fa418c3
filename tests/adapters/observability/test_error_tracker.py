"""The error tracker: every error is counted, none is lost, and no caller waits for it."""

import asyncio
import json
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.observability import error_tracker as tracker_module
from adapters.observability.error_tracker import MAX_OPEN, SpooledTracker, error_tracker
from adapters.observability.metrics import Metrics
from adapters.observability.redaction import Redactor
from adapters.observability.report_spool import ReportSpool
from adapters.observability.sentry import SentrySender
from adapters.system import new_ulid
from domain.core.error_report import ErrorReport, raised
from domain.core.errors import EngineUnavailable
from tests.support.core.forks import ROOT, clean_environment
from tests.support.core.waiting import eventually
from tests.support.servers.sentry import SentryServer, sentry_server

NOW = datetime(2026, 11, 21, tzinfo=UTC)
CANARY = "ibis-canary-42"


def fail(words: str) -> None:
    secret = f"ak_{words}"
    raise ValueError(f"cannot parse {secret}")


def report(place: str = "POST /x", client_id: str | None = "c1") -> ErrorReport:
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
            client_id=client_id,
            exceptions=raised(error),
        )
    raise AssertionError("it fails")


def dropped(metrics: Metrics) -> float | None:
    return metrics.registry.get_sample_value("engine_error_reports_dropped_total")


class Kept:
    """The storage of reports. It may be unavailable, or hang."""

    def __init__(self) -> None:
        self.reports: dict[str, ErrorReport] = {}
        self.away = False
        self.hangs = False

    async def keep(self, report_id: str, one: ErrorReport) -> None:
        if self.hangs:
            await asyncio.Event().wait()
        if self.away:
            raise EngineUnavailable("away")
        self.reports[report_id] = one

    @property
    def numbers(self) -> dict[tuple[str, str | None], int]:
        """Return the number of errors by location and client, over all reports."""
        found: dict[tuple[str, str | None], int] = {}
        for one in self.reports.values():
            key = one.place, one.client_id
            found[key] = found.get(key, 0) + one.occurrences
        return found


async def _nowhere(_: str, __: ErrorReport) -> None:
    raise AssertionError("with a DSN no report is stored")


def numbers(sentry: SentryServer) -> dict[tuple[str, str], int]:
    """Return the number of errors in Sentry by location and client; Sentry stores one event per
    id."""
    found: dict[tuple[str, str], int] = {}
    for event in {one["event_id"]: one for one in sentry.events}.values():
        key = event["transaction"], event["tags"]["client_id"]
        found[key] = found.get(key, 0) + int(event["tags"]["occurrences"])
    return found


async def test_sentry_gets_types_and_places_only(tmp_path: Path) -> None:
    with sentry_server() as sentry:
        async with error_tracker(sentry.dsn, tmp_path, _nowhere, Redactor(), Metrics()) as tracker:
            tracker.report(report("GET /who?jane.doe@example.com"))

        (event,) = sentry.events
    first, last = event["exception"]["values"]
    assert (first["type"], last["type"]) == ("ValueError", "RuntimeError")
    assert first["stacktrace"]["frames"][-1]["function"] == "fail"
    assert event["tags"] == {
        "code": "internal_error",
        "occurrences": "1",
        "request_id": "r1",
        "client_id": "c1",
    }
    assert event["transaction"] == "GET /who?[redacted]"
    assert not {"request", "user", "breadcrumbs", "extra", "server_name"} & set(event)
    assert CANARY.encode() not in b"".join(sentry.raw)
    assert b'"vars"' not in b"".join(sentry.raw)


async def test_what_a_library_adds_is_taken_away() -> None:
    sender = SentrySender("http://key@127.0.0.1:1/7", Redactor())
    event = sender._scrub(
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
    await sender.close()


async def test_a_flood_is_two_reports_by_client_with_the_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first error is reported at once, and the following errors of its kind are counted in one
    report."""
    monkeypatch.setattr(tracker_module, "REPORT_EVERY_S", 3_600.0)
    with sentry_server() as sentry:
        async with error_tracker(sentry.dsn, tmp_path, _nowhere, Redactor(), Metrics()) as tracker:
            for client_id in ("c1", "c2", "c1", "c1"):
                tracker.report(report(client_id=client_id))
            await eventually(lambda: _equal(len(sentry.events), 2))
            for _ in range(96):
                tracker.report(report(client_id="c1"))

        assert numbers(sentry) == {("POST /x", "c1"): 99, ("POST /x", "c2"): 1}
        # On shutdown, the tracker sends pending reports again under the same id.
        assert len({event["event_id"] for event in sentry.events}) == 3


async def test_a_silent_sentry_delays_nothing_and_loses_nothing(tmp_path: Path) -> None:
    with sentry_server() as sentry:
        sentry.silent = True
        started = time.monotonic()
        async with error_tracker(sentry.dsn, tmp_path, _nowhere, Redactor(), Metrics()) as tracker:
            for _ in range(300):
                tracker.report(report())
            assert time.monotonic() - started < 5
        assert time.monotonic() - started < 10
    kept = Kept()
    async with error_tracker(None, tmp_path, kept.keep, Redactor(), Metrics()):
        await eventually(lambda: _equal(kept.numbers, {("POST /x", "c1"): 300}))


@pytest.mark.parametrize(("status", "lost"), [(500, 0), (503, 0), (429, 0), (401, 0), (400, 1)])
async def test_a_report_that_sentry_refuses(tmp_path: Path, status: int, lost: int) -> None:
    """The report is sent later, unless it was permanently rejected."""
    metrics = Metrics()
    with sentry_server() as sentry:
        sentry.status = status
        async with error_tracker(sentry.dsn, tmp_path, _nowhere, Redactor(), metrics) as tracker:
            tracker.report(report("first"))
            await eventually(lambda: _equal(bool(sentry.raw), True))
        sentry.status, sentry.raw = 200, []
        async with error_tracker(sentry.dsn, tmp_path, _nowhere, Redactor(), metrics) as tracker:
            tracker.report(report("last"))
            await eventually(lambda: _equal(len(sentry.events), 2 - lost))
    assert (dropped(metrics) or 0) == lost


async def test_reports_wait_for_the_database(tmp_path: Path) -> None:
    kept = Kept()
    kept.away = True
    async with error_tracker(None, tmp_path, kept.keep, Redactor(), Metrics()) as tracker:
        tracker.report(report("first"))
        tracker.report(report("second"))
        kept.away = False
        both = {("first", "c1"): 1, ("second", "c1"): 1}
        await eventually(lambda: _equal(kept.numbers, both))


async def test_one_that_cannot_be_kept_holds_up_no_other(tmp_path: Path) -> None:
    kept: list[str] = []
    metrics = Metrics()

    async def keep(_: str, one: ErrorReport) -> None:
        if one.place == "bad":
            raise ValueError(CANARY)
        kept.append(one.place)

    async with error_tracker(None, tmp_path, keep, Redactor(), metrics) as tracker:
        tracker.report(report("bad"))
        tracker.report(report("good"))
    assert kept == ["good"]
    assert dropped(metrics) == 1


async def test_clients_beyond_the_limit_are_counted_together(tmp_path: Path) -> None:
    """An outage for many clients loses the clients' names, but no error."""
    kept = Kept()
    spool = ReportSpool(tmp_path, new_ulid())
    tracker = SpooledTracker(spool, kept.keep, Metrics())
    for number in range(MAX_OPEN + 5):
        tracker.report(report(client_id=f"c{number}"))
    await tracker.flush()
    spool.close()

    assert sum(kept.numbers.values()) == MAX_OPEN + 5
    assert kept.numbers["POST /x", None] == 5


async def test_shutdown_does_not_wait_for_a_dead_database(tmp_path: Path) -> None:
    kept = Kept()
    kept.hangs = True
    started = time.monotonic()
    async with error_tracker(None, tmp_path, kept.keep, Redactor(), Metrics()) as tracker:
        tracker.report(report())
        tracker.report(report("other"))
    assert time.monotonic() - started < 5

    kept.hangs = False
    async with error_tracker(None, tmp_path, kept.keep, Redactor(), Metrics()):
        both = {("POST /x", "c1"): 1, ("other", "c1"): 1}
        await eventually(lambda: _equal(kept.numbers, both))
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - a blocking look at the end of a test


async def test_a_living_process_keeps_its_reports(tmp_path: Path) -> None:
    """Another process adopts the reports of ended processes, but not those of a running one."""
    slow, quick = Kept(), Kept()
    slow.away = True
    async with error_tracker(None, tmp_path, slow.keep, Redactor(), Metrics()) as tracker:
        tracker.report(report())
        async with error_tracker(None, tmp_path, quick.keep, Redactor(), Metrics()) as other:
            other.report(report("other"))
        assert quick.numbers == {("other", "c1"): 1}


async def test_kill_between_the_count_and_the_flush(tmp_path: Path) -> None:
    """A process counts 40 errors while Sentry is unavailable, and gets SIGKILL. The next process
    reports all of them."""
    with sentry_server() as sentry:
        sentry.silent = True
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.support.core.reporting_process"),
            *(sentry.dsn, str(tmp_path), "40"),
            env=clean_environment(PYTHONPATH=str(ROOT)),
            stdout=asyncio.subprocess.PIPE,
        )
        assert child.stdout is not None
        assert json.loads(await child.stdout.readline()) == {"reported": 40}
        child.send_signal(signal.SIGKILL)
        await child.wait()

        sentry.silent, sentry.raw = False, []
        async with error_tracker(sentry.dsn, tmp_path, _nowhere, Redactor(), Metrics()):
            await eventually(lambda: _equal(numbers(sentry).get(("POST /x", "c1")), 40))


async def test_a_full_disk_costs_no_report_of_a_living_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, metrics = Kept(), Metrics()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ReportSpool, "add", full)
    async with error_tracker(None, tmp_path, kept.keep, Redactor(), metrics) as tracker:
        tracker.report(report())
    assert kept.numbers == {("POST /x", "c1"): 1}
    unspooled = metrics.registry.get_sample_value("engine_error_reports_unspooled_total")
    assert (unspooled or 0) >= 1


async def _equal(left: object, right: object) -> bool:
    return left == right
