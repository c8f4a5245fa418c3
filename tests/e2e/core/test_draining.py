"""A process that is asked to stop informs load balancers, and finishes its work."""

import asyncio
import signal
from pathlib import Path

import httpx
import pytest

from embedded.ports import free_port
from store.runs.tables import action_ledger
from tests.support.core.engine import GATEWAY, LiveEngine, ask_by_mail
from tests.support.core.processes import Process, has_ended, process
from tests.support.core.rows import only_row
from tests.support.core.serving import serves, serving
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop

# Longer than the test needs: the drain ends when the test's own requests end.
DRAIN_S = 4


@pytest.mark.slow
async def test_an_api_drains_before_it_ends(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    body = {"client_id": shop.client_id, "message": ORDER_QUESTION}
    async with serving(idle_engine, tmp_path, DRAIN_S=str(DRAIN_S)) as (api, http):
        kept_alive = await http.get("/healthz")
        waiting = asyncio.ensure_future(http.post(GATEWAY, json=body, headers=shop.headers))
        await eventually(lambda: _begun(idle_engine))

        api.terminate()

        ready = await eventually(lambda: _draining(http))
        healthy = await http.get("/healthz")
        late = asyncio.ensure_future(http.post(GATEWAY, json=body, headers=shop.headers))
        await eventually(lambda: _begun(idle_engine, 2))
        assert api.exit_code is None
        # No worker runs until the drain is over: both answers are due only after it.
        await eventually(lambda: _refused(http))
        async with idle_engine.working():
            answers = await asyncio.gather(waiting, late)
        await eventually(lambda: has_ended(api))

    assert ready.json().items() >= {"status": "draining", "checks": {}}.items()
    assert healthy.status_code == 200
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [answer.json()["status"] for answer in answers] == ["completed", "completed"]
    assert "connection" not in kept_alive.headers
    for answer in (ready, healthy, *answers):
        assert answer.headers["connection"] == "close"
    assert api.exit_code == 0


async def test_a_person_who_stops_an_api_waits_for_no_load_balancer(
    idle_engine: LiveEngine, tmp_path: Path
) -> None:
    loop = asyncio.get_running_loop()
    async with serving(idle_engine, tmp_path, DRAIN_S=str(DRAIN_S)) as (api, _):
        api.send(signal.SIGINT)
        asked = loop.time()
        await eventually(lambda: has_ended(api))

    assert loop.time() - asked < DRAIN_S
    assert api.exit_code == 0


async def test_a_worker_finishes_the_mail_it_has_begun(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    """The server has the email and acknowledges it slowly: if the worker exited, a human would be
    asked."""
    mail.held = asyncio.Event()
    port = free_port()
    with process(
        "worker", "worker.py",
        settings=idle_engine.settings, folder=tmp_path, METRICS_PORT=str(port),
    ) as worker:  # fmt: skip
        call = asyncio.ensure_future(ask_by_mail(idle_engine, shop))
        await eventually(lambda: _given(mail))
        worker.terminate()
        await eventually(lambda: _logged(worker, "worker stops"))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http:
            ready, healthy = await http.get("/readyz"), await http.get("/healthz")
        async with idle_engine.working():
            mail.held.set()
            answer = await call
        await eventually(lambda: has_ended(worker))

    assert (ready.status_code, ready.json()["status"]) == (503, "draining")
    assert (healthy.status_code, healthy.json()["status"]) == (200, "ok")
    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert worker.exit_code == 0
    assert len(mail.mails) == 1
    assert (await only_row(idle_engine.database, action_ledger))["state"] == "done"


@pytest.mark.slow
async def test_a_second_signal_ends_a_worker_at_once(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    """As after a crash, the outcome of its work is unknown, so a human is asked."""
    mail.held = asyncio.Event()
    with process("worker", "worker.py", settings=idle_engine.settings, folder=tmp_path) as worker:
        call = asyncio.ensure_future(ask_by_mail(idle_engine, shop))
        await eventually(lambda: _given(mail))
        worker.terminate()
        await eventually(lambda: _logged(worker, "worker stops"))
        worker.terminate()
        await eventually(lambda: has_ended(worker), 5)
    mail.held.set()
    async with idle_engine.working():
        answer = await call

    assert worker.exit_code == -signal.SIGTERM
    assert (answer.status_code, answer.json()["status"]) == (200, "needs_review")


async def _draining(http: httpx.AsyncClient) -> httpx.Response | None:
    answer = await http.get("/readyz")
    return answer if answer.json()["status"] == "draining" else None


async def _refused(http: httpx.AsyncClient) -> bool:
    return not await serves(http)


async def _begun(engine: LiveEngine, number: int = 1) -> bool:
    """Wait until this many runs wait in Temporal."""
    return len([run async for run in engine.client.list_workflows()]) == number


async def _given(mail: MailServer) -> bool:
    return bool(mail.mails)


async def _logged(child: Process, event: str) -> bool:
    return event in child.log.read_text()
