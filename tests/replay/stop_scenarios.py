"""Replay scenarios for runs that are held because all automation is stopped."""

from dataclasses import replace

from domain.core.names import process_event_id
from domain.reviews.escalation import Decision
from store.reviews.tables import escalation_tickets
from tests.replay.scenarios import Scenario
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.servers.mail import MailServer
from tests.support.tenants.automation import StoppingExecute, stop, stop_all
from tests.support.tenants.shop import ORDER_QUESTION, Shop


async def stopped(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """Stopped before the run; a human approves its draft."""
    await stop(engine, shop)
    return await _approved(engine, shop)


async def stopped_late(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """Stopped between the step that records the answer and the step that stores it."""
    return await _approved(engine, shop)


async def _approved(engine: LiveEngine, shop: Shop) -> str:
    held = (await engine.post(shop, message=ORDER_QUESTION)).json()
    assert held["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets)
    await engine.decide(review["id"], Decision.APPROVE)
    return process_event_id(shop.client_id, held["event_id"])


def stop_after_execute(engine: LiveEngine) -> None:
    stopping = StoppingExecute(engine.activities.execute, lambda: stop_all(engine))
    engine.activities = replace(engine.activities, execute=stopping)


STOP_SCENARIOS: dict[str, Scenario] = {one.__name__: one for one in (stopped, stopped_late)}
