"""Replay scenarios for review notices. No chat may be called here, which also ends a notice."""

import json

from domain.core.names import tell_reviewers_id
from domain.integrations.providers import Provider
from domain.reviews.escalation import Decision
from store.reviews.tables import escalation_tickets
from tests.replay.scenarios import Scenario, answered
from tests.support.agent.acting import connect
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.servers.mail import MailServer
from tests.support.servers.slack import WEBHOOK_URL
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop


async def _reviewed(engine: LiveEngine, shop: Shop) -> tuple[str, str]:
    """Return the run's workflow and its decided review."""
    settings = {"base_url": "http://127.0.0.1:9"}
    secrets = json.dumps({"webhook_url": WEBHOOK_URL})
    await connect(engine, shop, Provider.SLACK, settings, secrets)
    run = await answered(engine, shop, message=UNSURE_MESSAGE)
    review = await only_row(engine.database, escalation_tickets)
    notice = tell_reviewers_id(shop.client_id, review["id"])
    await engine.client.get_workflow_handle(notice).result()
    await engine.decide(review["id"], Decision.REJECT)
    return run, notice


async def review_told(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    run, _notice = await _reviewed(engine, shop)
    return run


async def reviewers_told(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    _run, notice = await _reviewed(engine, shop)
    return notice


NOTICE_SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario for scenario in (review_told, reviewers_told)
}
