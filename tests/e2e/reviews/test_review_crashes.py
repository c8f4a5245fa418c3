"""A decision is committed, then a process is killed: the decision is executed once."""

import asyncio
import signal
from pathlib import Path

import httpx
import pytest

from domain.core import names
from domain.reviews.escalation import Decision
from embedded.ports import free_port
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_messages, engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import REVIEWS
from tests.support.servers.mail import MailServer
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop, with_sender

WORDS = "Un conseiller vous appelle."
# The sweeper would wait a minute, so as not to disturb healthy requests.
SWEEPS_AT_ONCE = {"SWEEP_AFTER_S": "0.1", "SWEEP_INTERVAL_S": "1"}


pytestmark = pytest.mark.usefixtures("missed_soon")


async def _park(engine: LiveEngine, shop: Shop) -> tuple[str, str]:
    """Return (event_id, review_id) of a run that is held for review, and would answer by email."""
    await with_sender(engine.database, shop)
    answer = await engine.post(
        shop, event_type="email.inbound", customer_email="a@b.example", message=UNSURE_MESSAGE
    )
    assert answer.json()["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets)
    return answer.json()["event_id"], review["id"]


async def _done_once(engine: LiveEngine, shop: Shop, event_id: str, mail: MailServer) -> None:
    facts = await engine.run_of(shop, event_id).result()
    assert facts["status"] == "completed"
    assert [plain_text(m).strip() for m in mail.mails] == [WORDS]
    assert (await only_row(engine.database, action_ledger))["state"] == "done"
    assert (await only_row(engine.database, engine_runs))["response"] == WORDS
    assert len(await rows(engine.database, engine_messages, direction="outbound")) == 1
    review = await only_row(engine.database, escalation_tickets)
    assert (review["status"], review["taken_up_at"] is not None) == ("edited", True)


async def test_api_killed_before_it_told_the_run(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    settings, port = idle_engine.settings, free_port()
    assert settings.identity.session_key is not None
    key = settings.identity.session_key.get_secret_value()
    with (
        process("worker", "worker.py", settings=settings, folder=tmp_path, **SWEEPS_AT_ONCE),
        process(
            "api", "-m", "tests.support.reviews.dying_signaller", "serve", "--port", str(port),
            settings=settings, folder=tmp_path, SESSION_KEY=key,
        ) as api,
    ):  # fmt: skip
        event_id, review_id = await _park(idle_engine, shop)
        headers = bearer(session_token(settings, shop.owner_user_id))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers) as http:
            await eventually(lambda: _serves(http))
            with pytest.raises(httpx.TransportError):
                await http.post(f"{REVIEWS}/{review_id}/edit", json={"text": WORDS})
        await eventually(lambda: has_ended(api))

        assert api.exit_code == -signal.SIGKILL
        await _done_once(idle_engine, shop, event_id, mail)


async def test_command_killed_before_it_told_the_run(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    settings = idle_engine.settings
    with process("worker", "worker.py", settings=settings, folder=tmp_path, **SWEEPS_AT_ONCE):
        event_id, review_id = await _park(idle_engine, shop)
        approve = ("review", "approve", review_id, "--text", WORDS, "--as", "anna")
        with process(
            "command", "-m", "tests.support.reviews.dying_signaller", *approve,
            settings=settings, folder=tmp_path,
        ) as command:  # fmt: skip
            await eventually(lambda: has_ended(command))

        assert command.exit_code == -signal.SIGKILL
        await _done_once(idle_engine, shop, event_id, mail)
        assert (await only_row(idle_engine.database, escalation_tickets))["decided_by"] == "anna"


@pytest.mark.parametrize("point", [pytest.param("before", marks=pytest.mark.slow), "after"])
async def test_worker_killed_while_it_took_the_decision_up(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path, point: str
) -> None:
    settings = idle_engine.settings
    with process(
        "dying", "-m", "tests.support.core.crashing_worker", f"{point}:{names.SETTLE_REVIEW}",
        settings=settings, folder=tmp_path,
    ) as dying:  # fmt: skip
        event_id, review_id = await _park(idle_engine, shop)
        await idle_engine.decide(review_id, Decision.EDIT, WORDS)
        await eventually(lambda: has_ended(dying))

    assert dying.exit_code == -signal.SIGKILL
    with process("worker", "worker.py", settings=settings, folder=tmp_path):
        await _done_once(idle_engine, shop, event_id, mail)


async def test_killed_between_two_people(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    """No worker is running when both decide; the first approval is not a decision."""
    settings = idle_engine.settings
    with process("worker", "worker.py", settings=settings, folder=tmp_path) as worker:
        event_id, review_id = await _park(idle_engine, shop)
        worker.kill()
    await _needs_second(idle_engine, review_id)
    await idle_engine.decide(review_id, Decision.EDIT, WORDS, actor="anna")
    assert (await only_row(idle_engine.database, escalation_tickets))["status"] == "pending"
    await idle_engine.decide(review_id, Decision.EDIT, WORDS, actor="ben", signal=False)

    with process("worker", "worker.py", settings=settings, folder=tmp_path, **SWEEPS_AT_ONCE):
        await asyncio.wait_for(_done_once(idle_engine, shop, event_id, mail), 40)


async def _needs_second(engine: LiveEngine, review_id: str) -> None:
    async with engine.database.service() as connection:
        await connection.execute(
            escalation_tickets.update()
            .where(escalation_tickets.c.id == review_id)
            .values(needs_second=True)
        )


async def _serves(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False
