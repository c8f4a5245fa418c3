"""Trying a change of content without storing it."""

from typing import Final

import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.content.content import KnowledgeChange, KnowledgeEntry, TemplateChange, TemplateEntry
from domain.content.errors import ContentNotFound
from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.simulation.variant import ContentVariant
from domain.tenants.actor import Actor
from domain.tenants.client_settings import SettingsChange
from domain.tenants.guidance import Guidance
from services.content.knowledge import add_knowledge
from services.content.templates import NewTemplate, add_template
from store.cases.content_digest import content_digest
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges
from store.content.content_overlay import overlay
from store.content.knowledge_search import KnowledgeSearch
from store.core.database import Database
from store.tenants.client_settings import SettingsRepository
from tests.support.core.rows import row_counts
from tests.support.core.units import units_on
from tests.support.intake.admission import admit_event
from tests.support.tenants.shop import Shop

OPERATOR: Final = Actor.operator("test")
ENTRY: Final = SuggestedEntry(title="Retours", body="Trente jours.", language="fr")
TEMPLATE: Final = SuggestedTemplate(
    name="Merci",
    category=Category.OTHER,
    language="fr",
    body="Avec plaisir.",
    intent=Intent.THANKS,
)


async def tried(
    database: Database, shop: Shop, change: ContentVariant, words: str = "retours"
) -> tuple[bytes, list[str], list[str]]:
    """Return the digest, template names and titles found during the trial, which is then rolled
    back."""
    async with units_on(database).of(shop.tenant, dry_run=True) as work:
        await overlay(work.connection, shop.tenant, change, work.now)
        content = ContentRepository(work.connection, shop.tenant)
        shown = [one.name for one in (await content.templates()).templates]
        found = [
            one.title for one in await KnowledgeSearch(work.connection, shop.tenant).find(words)
        ]
        digest = await content_digest(work.connection, shop.tenant)
    return digest, shown, found


async def standing(database: Database, shop: Shop) -> bytes:
    async with database.reading(shop.tenant) as connection:
        return await content_digest(connection, shop.tenant)


async def test_a_trial_has_the_digest_of_what_is_then_saved(database: Database, shop: Shop) -> None:
    """Cases that passed with the change need not be run again after saving it."""
    before = await standing(database, shop)
    digest, _, found = await tried(database, shop, ContentVariant(added=ENTRY))
    assert found == [ENTRY.title]
    assert await standing(database, shop) == before != digest
    async with units_on(database).of(shop.tenant) as work:
        await add_knowledge(
            work, OPERATOR, title=ENTRY.title, body=ENTRY.body, language=ENTRY.language
        )
    assert await standing(database, shop) == digest

    digest, shown, _ = await tried(database, shop, ContentVariant(added=TEMPLATE))
    assert shown == ["order_status", "order_status", "Merci"]
    async with units_on(database).of(shop.tenant) as work:
        await add_template(
            work,
            OPERATOR,
            NewTemplate(
                TEMPLATE.name,
                TEMPLATE.category,
                TEMPLATE.language,
                TEMPLATE.body,
                intent=TEMPLATE.intent,
            ),
        )
    assert await standing(database, shop) == digest


async def test_changes_and_deletions_are_tried(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        entry = await add_knowledge(
            work, OPERATOR, title=ENTRY.title, body=ENTRY.body, language=ENTRY.language
        )
    async with database.reading(shop.tenant) as connection:
        changes = ContentChanges(connection, shop.tenant)
        template = (await changes.all(TemplateEntry))[0]
    before, counts = await standing(database, shop), await row_counts(database, of=shop)

    change = ContentVariant(id=entry.id, knowledge=KnowledgeChange(title="Echanges"))
    digest, _, found = await tried(database, shop, change, "échanges")
    assert found == ["Echanges"]
    digests = {before, digest}

    change = ContentVariant(id=template.id, template=TemplateChange(name="Suivi"))
    digest, shown, _ = await tried(database, shop, change)
    assert shown == ["Suivi", "order_status"]
    digests.add(digest)

    off = ContentVariant(id=template.id, template=TemplateChange(is_active=False))
    gone = ContentVariant(id=template.id, deleted="template")
    without, shown, _ = await tried(database, shop, gone)
    assert shown == ["order_status"]
    assert (await tried(database, shop, off))[0] == without
    digests.add(without)

    digest, _, found = await tried(database, shop, ContentVariant(id=entry.id, deleted="knowledge"))
    assert found == []
    assert len({*digests, digest}) == 5

    assert await standing(database, shop) == before
    assert await row_counts(database, of=shop) == counts
    async with database.reading(shop.tenant) as connection:
        assert await ContentChanges(connection, shop.tenant).read(KnowledgeEntry, entry.id) == entry
    with pytest.raises(ContentNotFound):
        await tried(database, shop, ContentVariant(id=new_ulid(), deleted="template"))


async def test_events_are_admitted_while_a_change_is_tried(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant, dry_run=True) as work:
        await overlay(work.connection, shop.tenant, ContentVariant(added=ENTRY), work.now)
        admitted = await admit_event(database, shop, message="Bonjour")
    assert admitted.ref.client_id == shop.client_id


async def test_the_digest_contains_the_guidance_if_there_is_some(
    database: Database, shop: Shop
) -> None:
    """Saved cases keep their results until a member writes guidance."""

    async def guided(guidance: Guidance) -> bytes:
        async with database.tenant(shop.tenant) as connection:
            change = SettingsChange(guidance=guidance)
            await SettingsRepository(connection, shop.tenant).change(change, utc_now())
        return await standing(database, shop)

    without = await standing(database, shop)
    digests = [await guided(Guidance(do=(rule,))) for rule in ("Say tu.", "Say vous.")]
    assert len({without, *digests}) == 3
    assert await guided(Guidance()) == without
