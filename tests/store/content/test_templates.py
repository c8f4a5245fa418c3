"""Templates for a brain, reloaded only after a change."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from activities.agent import gather as gathering
from activities.agent.gather import gather
from domain.agent.brain import Category, Template
from domain.content.content import MAX_ALL_NOT_FOR, MAX_NOT_FOR
from domain.core.errors import InvalidContent
from domain.intake.event import Channel, UnifiedEvent
from store.content.content import ContentRepository, ShownTemplates
from store.content.content_changes import ContentChanges
from store.content.tables import response_templates
from store.core.database import Database
from tests.support.tenants.shop import Shop

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def template(number: int) -> Template:
    return Template(
        id=f"own{number}", name="Reply", category=Category.OTHER, language="en", body="Hello."
    )


async def read(
    database: Database, shop: Shop, known: ShownTemplates | None = None
) -> ShownTemplates:
    async with database.tenant(shop.tenant) as connection:
        return await ContentRepository(connection, shop.tenant).templates(known)


async def add(database: Database, shop: Shop, number: int, *, is_active: bool = True) -> None:
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_template(
            template(number), NOW, is_active=is_active
        )


async def change(database: Database, shop: Shop, *changes: sa.Executable) -> None:
    async with database.tenant(shop.tenant) as connection:
        for one in changes:
            await connection.execute(one)


async def _add_one(database: Database, shop: Shop, one: Template) -> None:
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_template(one, NOW)


async def _add_all(database: Database, shop: Shop, one: Template) -> None:
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_templates([one], NOW)


async def test_the_exclusions_of_all_templates_are_limited(database: Database, shop: Shop) -> None:
    phrases = [f"word {number}" for number in range(MAX_ALL_NOT_FOR + 1)]
    full = MAX_ALL_NOT_FOR // MAX_NOT_FOR
    made = [
        template(number).model_copy(
            update={"not_for": tuple(phrases[number * MAX_NOT_FOR : (number + 1) * MAX_NOT_FOR])}
        )
        for number in range(full + 1)
    ]
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_templates(made[:full], NOW)
    for adding in (_add_one, _add_all):
        with pytest.raises(InvalidContent, match="all templates together") as refused:
            await adding(database, shop, made[full])
        assert "tous les modèles" in refused.value.reason
    await add(database, shop, full)


def test_all_texts_of_a_cached_template_are_weighed() -> None:
    """Only the characters of bodies were weighed. One wide character makes each take 4 bytes."""
    plain = gathering._size(template(1))
    wide = template(1).model_copy(update={"body": "🎁" + "a" * 20_000})
    named = template(1).model_copy(update={"not_for": ("x" * 80,) * 50})
    assert gathering._size(wide) > plain + 80_000
    assert gathering._size(named) > plain + 50 * 80
    assert plain > 1_500


async def test_excerpts_are_read_instead_of_all_bodies(database: Database, shop: Shop) -> None:
    """The copilot's search loaded 1,000 bodies of 20,000 characters to show five."""
    async with database.tenant(shop.tenant) as connection:
        content = ContentRepository(connection, shop.tenant)
        for number in range(3):
            await content.add_template(template(number), NOW, is_active=number != 1)
        changes = ContentChanges(connection, shop.tenant)
        topics = await changes.template_topics()
        assert {(f"own{number}", "Reply", "other") for number in range(3)} < {*topics}
        found = await changes.template_excerpts(["own2", "gone", "own1"], 4)
    assert [(one.id, one.body, one.is_active) for one in found] == [
        ("own2", "Hell", True),
        ("own1", "Hell", False),
    ]


async def test_what_is_unchanged_is_not_read_again(database: Database, shop: Shop) -> None:
    await add(database, shop, 1)
    before = await read(database, shop)
    await add(database, shop, 2, is_active=False)

    assert await read(database, shop, before) is before


async def test_each_change_is_seen(database: Database, shop: Shop) -> None:
    mine = response_templates.c.client_id == shop.tenant
    own = sa.update(response_templates).where(mine, response_templates.c.id == "own1")
    await add(database, shop, 1)
    known = await read(database, shop)
    for changed in (
        own.values(body="Hello again."),
        own.values(is_active=False),
        own.values(is_active=True),
        sa.delete(response_templates).where(mine),
    ):
        await change(database, shop, changed)
        now = await read(database, shop, known)
        assert now is not known
        assert now == await read(database, shop)
        known = now
    assert known.templates == ()


async def test_a_change_reaches_the_next_message(database: Database, shop: Shop) -> None:
    event = UnifiedEvent(channel=Channel.API, text="Hello")

    async def gathered() -> tuple[Template, ...]:
        async with database.tenant(shop.tenant) as connection:
            return (await gather(connection, shop.tenant, event, None)).templates

    before = await gathered()
    again = await gathered()
    await add(database, shop, 1)

    assert [id(one) for one in again] == [id(one) for one in before]
    assert {one.id for one in await gathered()} - {one.id for one in before} == {"own1"}
