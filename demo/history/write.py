"""Write the demo shop's history, once per shop."""

from datetime import timedelta
from typing import Final

from demo.content import BRAND
from demo.history.answers import ShopTexts
from demo.history.message_records import Draws, ShopFacts
from demo.history.plan import plan_history
from demo.history.records import HistoryRecorder
from demo.webhook import DEMO
from domain.content.content import KnowledgeEntry, TemplateEntry
from domain.core.ids import TenantId
from domain.exports.account_records import ClientRecord
from domain.exports.export import Section
from domain.intake.event import Channel
from domain.integrations.providers import Provider
from domain.tenants.client import Plan
from services.core.unit_of_work import UnitsOfWork
from services.exports.sample_history import SAMPLE_PATIENCE_S, add_sample_history
from store.content.content_changes import ContentChanges
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.playbooks.playbooks import PlaybookRepository

Reviewers = tuple[tuple[str, str], tuple[str, str]]
"""The user ids and first names of the two reviewers."""

_OPENED_BEFORE: Final = timedelta(days=45)
_PATTERNS: Final = {
    Channel.SHOP: "shopify.*",
    Channel.EMAIL: "email.*",
    Channel.WIDGET: "widget.*",
    Channel.HELPDESK: "zendesk.*",
}


async def add_history(units: UnitsOfWork, tenant: TenantId, reviewers: Reviewers) -> bool:
    """Write thirty days of history into the demo shop.

    Return False and write nothing if the shop already has a conversation. Raises LookupError
    without a connection, and KeyError without a playbook or text.
    """
    facts = await _facts(units.database, tenant, reviewers)
    now = units.now()
    recorder = HistoryRecorder(facts, Draws(tenant), now)
    for number, talk in enumerate(plan_history(now)):
        recorder.add(talk, number)
    opened = ClientRecord(
        id=tenant,
        brand_name=BRAND,
        plan=Plan.PRO,
        trial_ends_at=None,
        next_plan=None,
        next_plan_from=None,
        created_at=now - _OPENED_BEFORE,
    )
    recorder.made.sections[Section.CLIENT].append(opened)
    async with units.of(tenant, patience_s=SAMPLE_PATIENCE_S) as work:
        return await add_sample_history(work, DEMO, recorder.made)


async def _facts(database: Database, tenant: TenantId, reviewers: Reviewers) -> ShopFacts:
    async with database.reading(tenant) as connection:
        shop = await IntegrationRepository(connection, tenant).connected_to(Provider.DEMO_SHOP)
        active = await PlaybookRepository(connection, tenant).active()
        content = ContentChanges(connection, tenant)
        templates = await content.all(TemplateEntry)
        knowledge = await content.all(KnowledgeEntry)
    if shop is None:
        raise LookupError("the demo shop is not connected")
    by_pattern = {one.event_type: one for one in active}
    return ShopFacts(
        integration_id=shop.id,
        playbooks={channel: by_pattern[pattern] for channel, pattern in _PATTERNS.items()},
        texts=ShopTexts(
            {(one.name, one.language): one for one in templates},
            {(one.title, one.language): one.id for one in knowledge},
        ),
        members=reviewers,
    )
