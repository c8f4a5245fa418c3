"""Temporal or PostgreSQL is unavailable: a response in time, and no lost event."""

import asyncio
import signal
import time
from pathlib import Path

import psycopg
import pytest

from domain.core.names import SWEEP
from domain.runs.contracts import SweepInput
from embedded.ports import free_port
from store.billing.tables import usage_ledger
from store.core.database import Database
from store.intake.tables import engine_events
from store.runs.tables import engine_runs
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine, live_engine
from tests.support.core.own_temporal import own_temporal
from tests.support.core.postgres import as_owner
from tests.support.core.rows import rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.proxy import mutable_proxy
from tests.support.tenants.shop import ORDER_QUESTION, Shop

# It measures time, or loads the machine.
pytestmark = pytest.mark.alone

ANSWER_WITHIN_S = 5.0  # the contract's number, not a measurement


async def test_temporal_killed_and_restarted(database_url: str, shop: Shop, tmp_path: Path) -> None:
    port = free_port()
    async with (
        own_temporal(tmp_path, port) as server,
        live_engine(database_url, f"127.0.0.1:{port}", "default") as engine,
        engine.working(),
    ):
        first = await engine.post(shop, message=ORDER_QUESTION)
        assert first.json()["status"] == "completed"
        server.kill()

        started = time.monotonic()
        away = await engine.post(shop, message=ORDER_QUESTION)
        assert time.monotonic() - started < ANSWER_WITHIN_S
        assert (away.status_code, away.json()["code"]) == (500, "answer_delayed")

        # Restarted on the same port with the same file; the running worker continues.
        async with own_temporal(tmp_path, port):
            again = await eventually(lambda: _completed(engine, shop))
            assert again["status"] == "completed"
            kept = engine.run_of(shop, first.json()["event_id"])
            assert (await kept.describe()).close_time is not None
            await _swept(engine)


async def test_silent_temporal(database_url: str, shop: Shop, tmp_path: Path) -> None:
    """Suspended, not ended: connections stay open without a response."""
    port = free_port()
    async with (
        own_temporal(tmp_path, port) as server,
        live_engine(database_url, f"127.0.0.1:{port}", "default") as engine,
        engine.working(),
    ):
        assert (await engine.post(shop, message=ORDER_QUESTION)).status_code == 200
        server.send(signal.SIGSTOP)

        started = time.monotonic()
        answer = await engine.post(shop, message=ORDER_QUESTION)

        assert time.monotonic() - started < ANSWER_WITHIN_S
        assert (answer.status_code, answer.json()["code"]) == (500, "answer_delayed")
        server.send(signal.SIGCONT)
        await eventually(lambda: _completed(engine, shop))


@pytest.mark.parametrize("kind", ["refused", "silent"])
async def test_database_away(kind: str) -> None:
    """Nothing listens, or something that never responds."""
    silent = await asyncio.start_server(_keep_silent, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    if kind == "refused":
        silent.close()
        await silent.wait_closed()
    url = f"postgresql://u:p@127.0.0.1:{port}/d"
    async with live_engine(url, "127.0.0.1:1", "default", lazy=True) as engine:
        started = time.monotonic()
        answer = await engine.http.post(
            GATEWAY, json={}, headers={"authorization": "Bearer ak_" + "0" * 32}
        )
        assert time.monotonic() - started < ANSWER_WITHIN_S
        assert (answer.status_code, answer.json()["code"]) == (500, "engine_unavailable")
    silent.close()


async def test_database_falls_silent_on_open_connections(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    """Suspended, or behind a network that drops packets: nothing closes, and nothing arrives."""
    async with (
        mutable_proxy(database_url) as proxy,
        live_engine(proxy.url, temporal.address, "default") as engine,
    ):
        refused = await engine.http.post(GATEWAY, json={}, headers=shop.headers)
        assert refused.status_code == 400  # the key was looked up through the proxy
        proxy.silent = True

        started = time.monotonic()
        answer = await engine.http.post(GATEWAY, json={}, headers=shop.headers)

        assert time.monotonic() - started < ANSWER_WITHIN_S
        assert (answer.status_code, answer.json()["code"]) == (500, "engine_unavailable")
        proxy.silent = False
        await eventually(lambda: _refuses_with_400(engine, shop))


@pytest.mark.parametrize(
    ("afterwards", "code"), [("back", "answer_delayed"), ("away", "answer_unknown")]
)
async def test_a_commit_whose_answer_is_lost(
    database_url: str, temporal: TemporalServer, shop: Shop, afterwards: str, code: str
) -> None:
    """The caller learns whether the event is stored, and is never asked to repeat a stored one."""
    async with (
        mutable_proxy(database_url) as proxy,
        live_engine(proxy.url, temporal.address, "default") as engine,
    ):
        assert await _refuses_with_400(engine, shop)
        proxy.loses_commits = True
        call = asyncio.ensure_future(engine.post(shop, message=ORDER_QUESTION))
        direct = Database(database_url)
        event = await eventually(lambda: _stored_event(direct))
        proxy.loses_commits, proxy.silent = False, afterwards == "away"

        answer = await call

        assert (answer.status_code, answer.json()["code"]) == (500, code)
        assert answer.json()["event_id"] == event["id"]
        assert len(await rows(direct, usage_ledger)) == 1
        await direct.close()


async def _stored_event(database: Database) -> dict[str, object] | None:
    return next(iter(await rows(database, engine_events)), None)


async def test_many_callers_of_one_client_are_told_in_time(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    """Each waits for its turn and for the silent database, but not for the sum of both timeouts."""
    async with (
        mutable_proxy(database_url) as proxy,
        live_engine(proxy.url, temporal.address, "default") as engine,
    ):
        headers = {"x-engine-secret": ENGINE_SECRET}
        assert (await engine.http.post(GATEWAY, json={}, headers=headers)).status_code == 400
        assert await _refuses_with_400(engine, shop)
        proxy.silent = True

        started = time.monotonic()
        body = {"client_id": shop.client_id, "message": "x"}
        answers = await asyncio.gather(
            *(engine.http.post(GATEWAY, json=body, headers=headers) for _ in range(4))
        )

        assert time.monotonic() - started < ANSWER_WITHIN_S
        assert {answer.json()["code"] for answer in answers} == {"engine_unavailable"}


async def test_temporal_away_from_the_start(database_url: str, shop: Shop) -> None:
    """An API that never had a connection; the event is stored, and the response names it."""
    async with live_engine(database_url, "127.0.0.1:1", "default", lazy=True) as engine:
        started = time.monotonic()
        answer = await engine.post(shop, message=ORDER_QUESTION)

        assert time.monotonic() - started < ANSWER_WITHIN_S
        body = answer.json()
        assert (answer.status_code, body["code"]) == (500, "answer_delayed")
        (run,) = await rows(engine.database, engine_runs)
        assert (run["status"], run["event_id"]) == ("received", body["event_id"])

        dry_run = await engine.post(shop, message=ORDER_QUESTION, is_test=True)
        assert dry_run.json()["code"] == "engine_unavailable"


async def test_database_connections_are_replaced(
    engine: LiveEngine, shop: Shop, database_url: str
) -> None:
    """Every connection is cut, as in a restart of PostgreSQL.

    At most one request per process is affected, and gets an error; its admitted run and all later
    ones are processed.
    """
    await engine.post(shop, message=ORDER_QUESTION)
    async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    answers = [await engine.post(shop, message=ORDER_QUESTION) for _ in range(3)]

    codes = [answer.json().get("code", "served") for answer in answers]
    assert codes[1:] == ["served", "served"]
    assert codes[0] in ("served", "engine_unavailable", "answer_delayed")


async def _completed(engine: LiveEngine, shop: Shop) -> dict[str, str] | None:
    answer = await engine.post(shop, message=ORDER_QUESTION)
    body: dict[str, str] = answer.json()
    return body if answer.status_code == 200 else None


async def _swept(engine: LiveEngine) -> None:
    """Check that events admitted during the outage are processed as well."""
    await engine.client.execute_workflow(
        SWEEP, SweepInput(older_than_s=0), id="after-outage", task_queue="engine"
    )
    await eventually(lambda: _all_completed(engine))


async def _all_completed(engine: LiveEngine) -> bool:
    return {run["status"] for run in await rows(engine.database, engine_runs)} == {"completed"}


async def _keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()  # until the other side gives up
    writer.close()


async def _refuses_with_400(engine: LiveEngine, shop: Shop) -> bool:
    answer = await engine.http.post(GATEWAY, json={}, headers=shop.headers)
    return answer.status_code == 400
