"""A PostgreSQL without free connections or disk space: fast rejections, and a full recovery."""

import asyncio
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from store.billing.tables import usage_counters, usage_ledger
from store.core.database import Database
from store.intake.tables import engine_events
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.own_postgres import OwnPostgres, own_postgres
from tests.support.core.postgres import as_owner
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

# They have their own server and measure time.
pytestmark = [pytest.mark.alone, pytest.mark.slow]

# No caller may hang. The contract gives 5 seconds; the caller, the service and both servers share
# this machine's two cores, so a call may take longer here.
ANSWER_WITHIN_S = 20.0


@dataclass
class Calls:
    """The responses: the count of each status, and the events that they name."""

    engine: LiveEngine
    shop: Shop

    def __post_init__(self) -> None:
        self.codes: Counter[str] = Counter()
        self.event_ids: set[str] = set()

    async def send(self, number: int = 1) -> None:
        await asyncio.gather(*(self._send() for _ in range(number)))

    async def _send(self) -> None:
        began = time.monotonic()
        answer = await self.engine.post(self.shop, message=ORDER_QUESTION)
        body = answer.json()
        assert answer.status_code in (200, 500)
        code = body["status"] if answer.status_code == 200 else body["code"]
        assert time.monotonic() - began < ANSWER_WITHIN_S, code
        self.codes[code] += 1
        if "event_id" in body:
            self.event_ids.add(body["event_id"])

    async def refused(self) -> bool:
        """Send requests, and return whether one was rejected with nothing stored."""
        before = self.codes["engine_unavailable"]
        await self.send(8)
        return self.codes["engine_unavailable"] > before

    async def served(self) -> bool:
        before = self.codes["completed"]
        await self.send()
        return self.codes["completed"] > before

    async def check(self) -> None:
        """Check that each acknowledged event was processed and counted once, and nothing else
        exists."""
        await eventually(self._all_completed)
        database = self.engine.database
        events = {row["id"] for row in await rows(database, engine_events)}
        assert events == self.event_ids
        assert {row["event_id"] for row in await rows(database, usage_ledger)} == events
        assert (await only_row(database, usage_counters))["tickets_used"] == len(events)
        messages = await rows(database, engine_messages)
        assert Counter(row["event_id"] for row in messages) == dict.fromkeys(events, 2)

    async def _all_completed(self) -> bool:
        runs = await rows(self.engine.database, engine_runs)
        return {row["status"] for row in runs} == {"completed"}


@asynccontextmanager
async def _calls(server: OwnPostgres, temporal: TemporalServer) -> AsyncIterator[Calls]:
    database = Database(server.url)
    shop = await open_shop(database)
    await database.close()
    async with (
        live_engine(server.url, temporal.address, temporal.take_namespace()) as engine,
        engine.working(),
    ):
        yield Calls(engine, shop)


async def test_others_hold_all_connections(temporal: TemporalServer) -> None:
    """A pool without connections, as after a start, is rejected at once; one with connections
    continues."""
    async with (
        own_postgres(max_connections=30) as server,
        _calls(server, temporal) as calls,
        AsyncExitStack() as others,
    ):
        await calls.send()
        with pytest.raises(psycopg.OperationalError, match="remaining connection slots"):
            await _take_all(server.url, others)

        await calls.send(20)
        assert calls.codes["completed"] > 1, "over the connections that it has"

        resources = calls.engine.app.state.resources
        await resources.database.engine.dispose()
        async with await psycopg.AsyncConnection.connect(server.url):
            await calls.send(20)
        assert calls.codes["engine_unavailable"] > 0

        await others.aclose()
        await eventually(calls.served)
        await calls.check()


async def _take_all(url: str, others: AsyncExitStack) -> None:
    while True:
        await others.enter_async_context(await psycopg.AsyncConnection.connect(url))


@contextmanager
def _small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount a file system of this size. The test needs that permission."""
    options = f"size={megabytes}m,mode=0755"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.decode()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


def _fill(disk: Path) -> Path:
    """Create a file that takes all the remaining space."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    return ballast


async def test_the_disk_is_full(temporal: TemporalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """First no table can grow, then not even the WAL can be written, which stops PostgreSQL."""
    # If a run is admitted and its outcome has no space, a caller waits this long.
    monkeypatch.setattr("api.gateway_answers.DEADLINE_S", 1.0)
    async with AsyncExitStack() as held:
        disk = held.enter_context(_small_disk(Path(tempfile.mkdtemp()), 250))
        server = await held.enter_async_context(own_postgres(disk))
        calls = await held.enter_async_context(_calls(server, temporal))
        await calls.send(4)

        ballast = _fill(disk)
        await eventually(calls.refused)
        ballast.unlink()
        await eventually(calls.served)
        await calls.check()

        ballast = _fill(disk)
        with pytest.raises(psycopg.OperationalError):
            await _use_up_the_log(server.url)
        await eventually(calls.refused)
        ballast.unlink()
        await server.stop_at_once()
        await server.start()
        await eventually(calls.served)
        await calls.check()


async def _use_up_the_log(url: str) -> None:
    """Create WAL files of 16 MB until there is no space for another."""
    async with await psycopg.AsyncConnection.connect(as_owner(url), autocommit=True) as owner:
        while True:
            await owner.execute("SELECT pg_logical_emit_message(false, 'test', 'one more line')")
            await owner.execute("SELECT pg_switch_wal()")
