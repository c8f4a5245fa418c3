"""Temporal is slow, or rejects calls beyond its limits: later but correct answers, and nothing
twice."""

import asyncio
import time
from collections import Counter
from pathlib import Path

import pytest
from temporalio.service import RPCError, RPCStatusCode

from domain.core.names import PROCESS_EVENT, SWEEP
from domain.runs.contracts import SweepInput
from embedded.ports import free_port
from store.billing.tables import usage_counters, usage_ledger
from store.runs.tables import action_ledger, engine_messages, engine_runs
from tests.support.core.command_line import run
from tests.support.core.engine import LiveEngine, live_engine, settings_of
from tests.support.core.forks import ROOT
from tests.support.core.own_temporal import own_temporal
from tests.support.core.processes import environment
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.proxy import tcp_proxy
from tests.support.tenants.shop import ORDER_QUESTION, Shop

# It measures time, or loads the machine.
pytestmark = pytest.mark.slow

ANSWER_WITHIN_S = 5.0  # the contract's number, not a measurement
DEADLINE_S = 30.0  # likewise
CALLS = 4


async def test_half_a_second_a_call(
    database_url: str, temporal: TemporalServer, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the API and the worker: each answer is later, within the deadline, and sent once."""
    async with (
        tcp_proxy(temporal.address) as proxy,
        live_engine(database_url, proxy.url, temporal.take_namespace()) as engine,
        engine.working(),
    ):
        assert (await engine.post(shop, message=ORDER_QUESTION)).status_code == 200
        proxy.delay_s = 0.25  # there and back
        began = time.monotonic()
        answers = await asyncio.gather(
            *(engine.post(shop, message=ORDER_QUESTION) for _ in range(CALLS))
        )
        assert 2 * proxy.delay_s < time.monotonic() - began < DEADLINE_S
        assert [answer.json()["status"] for answer in answers] == ["completed"] * CALLS

        monkeypatch.setattr("api.gateway_answers.DEADLINE_S", 0.4)
        began = time.monotonic()
        late = await engine.post(shop, message=ORDER_QUESTION)
        assert time.monotonic() - began < ANSWER_WITHIN_S
        assert (late.status_code, late.json()["code"]) == (500, "answer_timeout")
        await eventually(lambda: _each_once(engine, CALLS + 2))
        proxy.delay_s = 0


async def test_a_namespace_beyond_its_limit(database_url: str, shop: Shop, tmp_path: Path) -> None:
    """RESOURCE_EXHAUSTED: retried for a while, reported in time, and completed once there is
    capacity."""
    port = free_port()
    address = f"127.0.0.1:{port}"
    # No call per second: what remains is the single call that it may be ahead.
    async with (
        own_temporal(tmp_path, port, frontend__namespaceRPS=0),
        live_engine(database_url, address, "default", lazy=True) as engine,
    ):
        await eventually(lambda: _is_used_up(engine))
        began = time.monotonic()
        answers = await asyncio.gather(
            *(engine.post(shop, message=ORDER_QUESTION) for _ in range(CALLS))
        )
        # It was retried, because a rejection alone arrives at once.
        assert 1 < time.monotonic() - began < ANSWER_WITHIN_S
        told = {answer.json()["event_id"] for answer in answers}
        assert {answer.json()["code"] for answer in answers} == {"answer_delayed"}
        assert {row["status"] for row in await rows(engine.database, engine_runs)} == {"received"}

    async with (
        own_temporal(tmp_path, port),
        live_engine(database_url, address, "default") as engine,
        engine.working(),
    ):
        await engine.client.execute_workflow(
            SWEEP, SweepInput(older_than_s=0), id="room-again", task_queue="engine"
        )
        await eventually(lambda: _each_once(engine, CALLS))
        started = Counter([found.id async for found in engine.client.list_workflows(_RUNS)])
        assert set(started.values()) == {1}
        assert {row["event_id"] for row in await rows(engine.database, engine_runs)} == told


_RUNS = f"WorkflowType = '{PROCESS_EVENT}'"


async def _is_used_up(engine: LiveEngine) -> bool:
    """Make a call that uses the remaining limit; return whether it is used up."""
    try:
        await engine.client.get_workflow_handle("nobody").describe()
    except RPCError as error:
        return error.status is RPCStatusCode.RESOURCE_EXHAUSTED
    return False


async def _each_once(engine: LiveEngine, number: int) -> bool:
    """Check that this many runs are completed, each with one of everything."""
    runs = await rows(engine.database, engine_runs)
    if [row["status"] for row in runs] != ["completed"] * number:
        return False
    assert len(await rows(engine.database, usage_ledger)) == number
    assert (await only_row(engine.database, usage_counters))["tickets_used"] == number
    replies = await rows(engine.database, engine_messages, direction="outbound")
    assert Counter(row["event_id"] for row in replies) == {row["event_id"]: 1 for row in runs}
    done = await rows(engine.database, action_ledger, state="done")
    assert Counter(row["run_id"] for row in done) == {row["id"]: 1 for row in runs}
    return True


@pytest.mark.parametrize("queue", ["engine", "webhooks"])
def test_a_worker_of_a_namespace_that_is_not_there(
    database_url: str, temporal: TemporalServer, queue: str
) -> None:
    settings = settings_of(database_url, temporal.address, temporal_namespace="nobody")

    done = run(str(ROOT / "worker.py"), "--queue", queue, env=environment(settings))

    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.startswith("error: ")
    assert "no namespace nobody" in last
    assert "Traceback" not in done.stderr
