"""A process that is asked to stop: load balancers hear of it, and what it took is finished."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from embedded.ports import free_port
from store.runs.tables import action_ledger
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.processes import Process, process
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop

# Longer than the test needs: what ends the drain is the end of the test's own questions.
DRAIN_S = 4


@asynccontextmanager
async def serving(
    engine: LiveEngine, folder: Path
) -> AsyncIterator[tuple[Process, httpx.AsyncClient]]:
    port = free_port()
    with process(
        "api", "cli.py", "serve", "--port", str(port),
        settings=engine.settings, folder=folder, DRAIN_S=str(DRAIN_S),
    ) as api:  # fmt: skip
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=40) as http:
            await eventually(lambda: _status(http))
            yield api, http


@pytest.mark.slow
async def test_an_api_drains_before_it_ends(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    body = {"client_id": shop.client_id, "message": ORDER_QUESTION}
    async with serving(idle_engine, tmp_path) as (api, http):
        kept_alive = await http.get("/healthz")
        waiting = asyncio.ensure_future(http.post(GATEWAY, json=body, headers=shop.headers))
        await eventually(lambda: _begun(idle_engine))

        api.terminate()

        ready = await eventually(lambda: _draining(http))
        healthy = await http.get("/healthz")
        late = asyncio.ensure_future(http.post(GATEWAY, json=body, headers=shop.headers))
        await eventually(lambda: _begun(idle_engine, 2))
        assert api.exit_code is None
        # Nobody works until the drain is over: both answers are due only after it.
        await eventually(lambda: _refused(http))
        async with idle_engine.working():
            answers = await asyncio.gather(waiting, late)
        await eventually(lambda: _ended(api))

    assert ready.json() == {"status": "draining", "checks": {}}
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
    async with serving(idle_engine, tmp_path) as (api, _):
        api.send(signal.SIGINT)
        asked = loop.time()
        await eventually(lambda: _ended(api))

    assert loop.time() - asked < DRAIN_S
    assert api.exit_code == 0


async def test_a_worker_finishes_the_mail_it_has_begun(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    """The server has the mail and is slow to say so: a worker that went would ask a human."""
    mail.held = asyncio.Event()
    with process("worker", "worker.py", settings=idle_engine.settings, folder=tmp_path) as worker:
        call = asyncio.ensure_future(
            idle_engine.post(
                shop,
                event_type="email.inbound",
                customer_email="a@b.example",
                message=ORDER_QUESTION,
            )
        )
        await eventually(lambda: _given(mail))
        worker.terminate()
        await eventually(lambda: _logged(worker, "worker stops"))
        async with idle_engine.working():
            mail.held.set()
            answer = await call
        await eventually(lambda: _ended(worker))

    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert worker.exit_code == 0
    assert len(mail.mails) == 1
    assert (await only_row(idle_engine.database, action_ledger))["state"] == "done"


@pytest.mark.slow
async def test_a_second_signal_ends_a_worker_at_once(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    """As a crash would: what it had begun, nobody can know, so a human is asked."""
    mail.held = asyncio.Event()
    with process("worker", "worker.py", settings=idle_engine.settings, folder=tmp_path) as worker:
        call = asyncio.ensure_future(
            idle_engine.post(
                shop,
                event_type="email.inbound",
                customer_email="a@b.example",
                message=ORDER_QUESTION,
            )
        )
        await eventually(lambda: _given(mail))
        worker.terminate()
        await eventually(lambda: _logged(worker, "worker stops"))
        worker.terminate()
        await eventually(lambda: _ended(worker), 5)
    mail.held.set()
    async with idle_engine.working():
        answer = await call

    assert worker.exit_code == -signal.SIGTERM
    assert (answer.status_code, answer.json()["status"]) == (200, "needs_review")


async def _status(http: httpx.AsyncClient) -> int | None:
    try:
        return (await http.get("/healthz")).status_code
    except httpx.TransportError:
        return None


async def _draining(http: httpx.AsyncClient) -> httpx.Response | None:
    answer = await http.get("/readyz")
    return answer if answer.json()["status"] == "draining" else None


async def _refused(http: httpx.AsyncClient) -> bool:
    return await _status(http) is None


async def _begun(engine: LiveEngine, number: int = 1) -> bool:
    """So many runs wait in Temporal."""
    return len([run async for run in engine.client.list_workflows()]) == number


async def _given(mail: MailServer) -> bool:
    return bool(mail.mails)


async def _logged(child: Process, event: str) -> bool:
    return event in child.log.read_text()


async def _ended(child: Process) -> bool:
    return child.exit_code is not None
