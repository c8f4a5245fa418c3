"""A worker is killed at every step of a refund: the money goes back once, or a human is asked."""

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from embedded.process import Child
from store.tables import action_ledger
from tests.support.acting import CUSTOMER, Acting, acting_shop, order, promising, rules
from tests.support.engine import LiveEngine, live_engine
from tests.support.mail import MailServer
from tests.support.processes import process
from tests.support.rows import only_row
from tests.support.temporal import TemporalServer
from tests.support.waiting import eventually

POINTS = [
    "before:event.look_up",
    "after:event.look_up",
    "after:event.brain",
    "before:event.execute",
    "refund-begun",
    "refund-done",
    "after:event.execute",
    "after:event.persist",
]
ASKED = {
    "event_type": "shopify.ticket.created",
    "customer_email": CUSTOMER,
    "message": "Bonjour, je souhaite être remboursée de ma commande n° 2001 s'il vous plaît.",
}


@pytest.fixture
async def acting(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    async with live_engine(
        database_url,
        temporal.address,
        temporal.take_namespace(),
        smtp_url=mail.url,
        allow_loopback_targets=True,
    ) as engine:
        yield engine


@pytest.mark.parametrize("point", POINTS)
async def test_refund_survives_a_worker_killed_at(
    acting: LiveEngine, tmp_path: Path, point: str
) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    await promising(acting, it.shop)

    answer = await _with_a_death(acting, it, tmp_path, point)

    assert (answer["status"], answer["steps_executed"]) == ("completed", 2)
    assert it.refunded == 4_900
    refund = await only_row(acting.database, action_ledger, action="refund")
    assert (refund["state"], refund["reference"] is not None) == ("done", True)


async def _with_a_death(
    acting: LiveEngine, it: Acting, folder: Path, point: str
) -> dict[str, object]:
    """The answer, though the worker dies at that point and another comes."""
    settings, allowed = acting.settings, {"ALLOW_LOOPBACK_TARGETS": "true"}
    crashing = ("-m", "tests.support.crashing_worker", point)
    with process("dying", *crashing, settings=settings, folder=folder, **allowed) as dying:
        call = asyncio.ensure_future(acting.post(it.shop, **ASKED))
        await eventually(lambda: _ended(dying))
        assert dying.exit_code == -signal.SIGKILL
        with process("worker", "worker.py", settings=settings, folder=folder, **allowed):
            answer = await call
    assert answer.status_code == 200
    body: dict[str, object] = answer.json()
    return body


async def _ended(child: Child) -> bool:
    return child.exit_code is not None
