"""The worker that sends a member's reply is killed at named points: the reply is sent at most
once."""

import signal
from pathlib import Path

import pytest

from adapters.system import new_ulid, utc_now
from domain.runs.teammate_reply import UNDO_FOR
from services.core.unit_of_work import UnitsOfWork
from services.reviews.replies import write_reply
from store.runs.tables import action_ledger, conversation_replies, engine_messages
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.reviews.replies import ANNA, WORDS, conversation_of, joined
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop, with_sender

pytestmark = pytest.mark.usefixtures("missed_soon")


async def _write(engine: LiveEngine, shop: Shop) -> None:
    """Write a reply to an email that is held for review; its undo period is over."""
    await with_sender(engine.database, shop)
    answer = await engine.post(
        shop, event_type="email.inbound", customer_email="a@b.example", message=UNSURE_MESSAGE
    )
    assert answer.json()["status"] == "needs_review"
    talk = await conversation_of(engine.database, answer.json()["event_id"])
    await joined(engine.database, shop, ANNA)
    earlier = UnitsOfWork(engine.database, engine.engine, lambda: utc_now() - UNDO_FOR, new_ulid)
    async with earlier.of(shop.tenant) as work:
        await write_reply(work, ANNA, talk, WORDS)


async def _state(engine: LiveEngine, wanted: str) -> bool:
    state: str = (await only_row(engine.database, conversation_replies))["state"]
    return state == wanted


async def test_worker_killed_after_the_reply_left(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path
) -> None:
    """It is unknown whether the email arrived, so it is not sent again."""
    settings = idle_engine.settings
    with process(
        "dying", "-m", "tests.support.core.crashing_worker", "mail-sent",
        settings=settings, folder=tmp_path,
    ) as dying:  # fmt: skip
        await _write(idle_engine, shop)
        await eventually(lambda: has_ended(dying))
        assert dying.exit_code == -signal.SIGKILL
        with process("worker", "worker.py", settings=settings, folder=tmp_path):
            await eventually(lambda: _state(idle_engine, "unknown"))

    assert len(mail.mails) == 1
    ledger = await only_row(idle_engine.database, action_ledger)
    assert (ledger["state"], ledger["detail"]) == ("unknown", "mail_unknown")


@pytest.mark.slow
@pytest.mark.parametrize("point", ["before:reply.send", "after:reply.send"])
async def test_worker_killed_around_the_send(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, tmp_path: Path, point: str
) -> None:
    settings = idle_engine.settings
    with process(
        "dying", "-m", "tests.support.core.crashing_worker", point,
        settings=settings, folder=tmp_path,
    ) as dying:  # fmt: skip
        await _write(idle_engine, shop)
        await eventually(lambda: has_ended(dying))
        with process("worker", "worker.py", settings=settings, folder=tmp_path):
            await eventually(lambda: _state(idle_engine, "sent"))

    assert len(mail.mails) == 1
    assert len(await rows(idle_engine.database, engine_messages, author="human")) == 1
