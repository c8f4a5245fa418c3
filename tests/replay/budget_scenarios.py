"""Replay scenarios for events that are too expensive to parse or to process."""

from collections.abc import Callable

from domain.reviews.escalation import Decision
from store.reviews.tables import escalation_tickets
from tests.replay.scenarios import Scenario, answered
from tests.support.agent.over_budget import (
    normalize_at_a_cost,
    normalize_at_a_cost_after_an_outage,
    think_at_a_cost,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop


async def cut_and_edited(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _edited(engine, shop)


async def unread_and_edited(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _edited(engine, shop)


async def cut_after_an_outage(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _edited(engine, shop)


async def _edited(engine: LiveEngine, shop: Shop) -> str:
    workflow_id = await answered(engine, shop, message=ORDER_QUESTION)
    escalation = await only_row(engine.database, escalation_tickets)
    await engine.decide(escalation["id"], Decision.EDIT, "Bonjour, oui.")
    return workflow_id


PREPARED: dict[str, Callable[[LiveEngine], object]] = {
    cut_and_edited.__name__: normalize_at_a_cost,
    cut_after_an_outage.__name__: normalize_at_a_cost_after_an_outage,
    unread_and_edited.__name__: think_at_a_cost,
}
"""Changes to an engine before its worker starts."""

BUDGET_SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (cut_and_edited, cut_after_an_outage, unread_and_edited)
}
