"""Processes are killed at named points: the caller gets the right answer, and each effect happens
once."""

import asyncio
import json
import signal
from pathlib import Path

import httpx
import pytest
from temporalio.service import RPCError

from store.billing.tables import usage_counters, usage_ledger
from store.core.tables import error_reports
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_messages, engine_runs
from tests.support.core.engine import GATEWAY, LiveEngine, ask_by_mail
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row, rows
from tests.support.core.serving import serving
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop

pytestmark = pytest.mark.usefixtures("missed_soon")

# The first: the external effect happened, but was not recorded.
POINTS = [
    "after:event.execute",
    *(
        pytest.param(point, marks=pytest.mark.slow)
        for point in (
            "before:event.normalize",
            "after:event.normalize",
            "after:event.brain",
            "before:event.execute",
            "after:event.persist",
        )
    ),
]


@pytest.mark.parametrize("point", POINTS)
async def test_worker_killed_in_the_middle_of_a_run(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path, point: str
) -> None:
    """A run with an email, so that execute is a separate activity."""
    settings = idle_engine.settings
    with process(
        "dying",
        "-m",
        "tests.support.core.crashing_worker",
        point,
        settings=settings,
        folder=tmp_path,
    ) as dying:
        call = asyncio.ensure_future(ask_by_mail(idle_engine, shop))
        await eventually(lambda: has_ended(dying))
        assert dying.exit_code == -signal.SIGKILL
        with process("worker", "worker.py", settings=settings, folder=tmp_path):
            answer = await call

    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert len(mail.mails) == 1
    await _everything_once(idle_engine)


async def test_worker_killed_after_the_mail_left(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    """It is unknown whether the email arrived: a human decides, and it is not sent again."""
    settings = idle_engine.settings
    with process(
        "dying", "-m", "tests.support.core.crashing_worker", "mail-sent",
        settings=settings, folder=tmp_path,
    ) as dying:  # fmt: skip
        call = asyncio.ensure_future(ask_by_mail(idle_engine, shop))
        await eventually(lambda: has_ended(dying))
        with process("worker", "worker.py", settings=settings, folder=tmp_path):
            answer = await call

    assert (answer.status_code, answer.json()["status"]) == (200, "needs_review")
    assert len(mail.mails) == 1
    escalation = await only_row(idle_engine.database, escalation_tickets)
    assert escalation["reason"] == "tool_failure"
    ledger = await only_row(idle_engine.database, action_ledger)
    assert (ledger["state"], ledger["detail"]) == ("unknown", "mail_unknown")


async def test_api_killed_after_the_start(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    """The caller has disconnected, but its event is processed."""
    async with serving(idle_engine, tmp_path) as (api, http):
        call = asyncio.ensure_future(
            http.post(
                GATEWAY,
                json={"client_id": shop.client_id, "message": ORDER_QUESTION},
                headers=shop.headers,
            )
        )
        event_id = await eventually(lambda: _started_event(idle_engine, shop))
        api.kill()
        with pytest.raises(httpx.TransportError):
            await call

    async with idle_engine.working():
        await idle_engine.run_of(shop, event_id).result()
    await _everything_once(idle_engine)


@pytest.mark.parametrize("is_test", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_api_stopped_before_the_answer(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path, is_test: bool
) -> None:
    """No worker is running, and the API is stopped at once: the caller and the operators are
    informed."""
    async with serving(idle_engine, tmp_path) as (api, http):
        call = asyncio.ensure_future(
            http.post(
                GATEWAY,
                json={
                    "client_id": shop.client_id,
                    "message": ORDER_QUESTION,
                    "is_test": is_test,
                },
                headers=shop.headers,
            )
        )
        await eventually(lambda: _begun(idle_engine))
        api.terminate()
        await eventually(lambda: _accepts_no_more(http))
        api.terminate()
        answer = await call
        await eventually(lambda: has_ended(api))
    assert api.exit_code == 0
    report = await only_row(idle_engine.database, error_reports)
    logged = [json.loads(line) for line in api.log.read_text().splitlines()]
    (line,) = [it for it in logged if it["event"] == "request" and it.get("path") == GATEWAY]

    code = "engine_unavailable" if is_test else "answer_delayed"
    assert (answer.status_code, answer.json()["code"]) == (500, code)
    assert (line["status"], report["code"]) == (500, code)
    assert report["request_id"] == answer.headers["x-request-id"] == answer.json()["request_id"]
    if not is_test:
        event = await only_row(idle_engine.database, engine_events)
        assert answer.json()["event_id"] == report["event_id"] == event["id"]


async def _begun(engine: LiveEngine) -> bool:
    """Wait until a run or dry run waits in Temporal."""
    return [run async for run in engine.client.list_workflows()] != []


async def test_no_worker_at_all(
    idle_engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller gets an error at the deadline; the run completes when a worker starts."""
    monkeypatch.setattr("api.gateway_answers.DEADLINE_S", 1.0)

    answer = await idle_engine.post(shop, message=ORDER_QUESTION)

    assert (answer.status_code, answer.json()["code"]) == (500, "answer_timeout")
    event = await only_row(idle_engine.database, engine_events)
    async with idle_engine.working():
        facts = await idle_engine.run_of(shop, event["id"]).result()
    assert facts["status"] == "completed"
    await _everything_once(idle_engine)


async def _everything_once(engine: LiveEngine) -> None:
    run = await only_row(engine.database, engine_runs)
    assert run["status"] == "completed"
    assert [step["state"] for step in run["steps"]] == ["done"]
    messages = await rows(engine.database, engine_messages)
    assert sorted(message["direction"] for message in messages) == ["inbound", "outbound"]
    ledger = await only_row(engine.database, action_ledger)
    assert ledger["state"] == "done"
    counted = await only_row(engine.database, usage_ledger)
    assert counted["event_id"] == run["event_id"]
    assert (await only_row(engine.database, usage_counters))["tickets_used"] == 1


async def _accepts_no_more(http: httpx.AsyncClient) -> bool:
    try:
        _, writer = await asyncio.open_connection(http.base_url.host, http.base_url.port)
    except ConnectionError:
        return True
    writer.close()
    return False


async def _started_event(engine: LiveEngine, shop: Shop) -> str | None:
    """Return the id of the event whose workflow was started."""
    for event in await rows(engine.database, engine_events):
        try:
            await engine.run_of(shop, event["id"]).describe()
        except RPCError:
            return None
        return str(event["id"])
    return None
