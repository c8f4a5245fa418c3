"""Templates for a brain, reloaded only after a change."""

from datetime import UTC, datetime

import sqlalchemy as sa

from activities.agent.gather import gather
from domain.agent.brain import Category, Template
from domain.intake.event import Channel, UnifiedEvent
from store.content.content import ContentRepository, ShownTemplates
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
