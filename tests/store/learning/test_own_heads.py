"""Clients' own heads: their tickets, their use, and their removal with a ticket."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.own_head import OwnHead
from domain.learning.own_head_trial import HeldBackCount, OwnHeadState, TriedHead
from domain.tenants.errors import ClientNotFound
from services.learning.labelled_examples import delete_example
from services.reviews.decisions import approve_review, edit_review
from store.cases.content_digest import content_digest
from store.core.database import Database
from store.learning import own_heads as heads_module
from store.learning.own_heads import KEPT_VERSIONS, OwnHeadRepository
from store.learning.tables import own_heads
from store.reviews.tables import escalation_tickets
from store.tenants.tables import clients
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.learning.corrections import OPERATOR, labelled
from tests.support.learning.lessons import MODEL, USED, add_examples, keep_head, lessons_of
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop, open_shop

WORSE = TriedHead(HeldBackCount(tickets=200, won=9, lost=9, both_right=90), OwnHeadState.NO_BETTER)


async def in_use(database: Database, shop: Shop, known: OwnHead | None = None) -> OwnHead | None:
    async with database.reading(shop.tenant) as connection:
        return await OwnHeadRepository(connection, shop.tenant).in_use(known)


async def digest(database: Database, shop: Shop) -> bytes:
    async with database.reading(shop.tenant) as connection:
        return await content_digest(connection, shop.tenant)


async def test_examples_and_drafts_approved_unchanged_teach(database: Database, shop: Shop) -> None:
    await labelled(database, shop)
    approved, edited, waiting = [
        await open_review(database, shop, text=text, needs_second=False)
        for text in ("Remboursez ma caisse", "Ma caisse est cassée", "Et la mienne")
    ]
    revised = await open_review(database, shop, text="Deux caisses")
    async with units_on(database).of(shop.tenant) as work:
        await approve_review(work, OPERATOR, approved)
        await edit_review(work, OPERATOR, edited, "Non.")
        await approve_review(work, OPERATOR, revised)
        await work.connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.id == revised)
            .values(revision=1)
        )

    found = await lessons_of(database, shop)

    assert {(one.text, one.classification) for one in found} == {
        ("Les retours sont-ils gratuits ?", Category.OTHER),
        ("Remboursez ma caisse", Category.REFUND_REQUEST),
    }
    assert waiting
    async with database.reading(shop.tenant) as connection:
        decided = await OwnHeadRepository(connection, shop.tenant).decided()
    assert sorted(decided) == sorted(one.at for one in found)


async def test_the_latest_lessons_are_those(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads_module, "MAX_LESSONS", 2)
    for text in ("un", "deux", "trois"):
        await add_examples(database, shop, [(text, Category.OTHER)])

    assert [one.text for one in await lessons_of(database, shop)] == ["trois", "deux"]


async def test_a_head_is_used_until_a_later_version_is_no_better(
    database: Database, shop: Shop
) -> None:
    other = await open_shop(database)
    before = await digest(database, shop)
    assert await in_use(database, shop) is None

    version = await keep_head(database, shop)
    head = await in_use(database, shop)
    assert head == OwnHead(version=version, model=MODEL, weights=b"weights")
    assert await in_use(database, shop, head) is head
    assert await in_use(database, other) is None
    used = await digest(database, shop)
    assert used != before

    again = await keep_head(database, shop)
    newer = await in_use(database, shop, head)
    assert newer is not None
    assert newer.version == again
    assert await digest(database, shop) == used  # equal weights have the same digest

    await keep_head(database, shop, WORSE)
    assert await in_use(database, shop, newer) is None
    assert await digest(database, shop) == before


async def test_few_versions_are_kept_and_the_weights_of_the_latest(
    database: Database, shop: Shop
) -> None:
    kept = [await keep_head(database, shop) for _ in range(KEPT_VERSIONS + 3)]

    found = await rows(database, own_heads, of=shop)
    assert {row["id"] for row in found} == set(kept[-KEPT_VERSIONS:])
    assert [row["id"] for row in found if row["weights"] is not None] == [kept[-1]]
    async with database.reading(shop.tenant) as connection:
        versions = await OwnHeadRepository(connection, shop.tenant).versions()
    assert [one.id for one in versions] == kept[: -KEPT_VERSIONS - 1 : -1]
    assert versions[0].own_accuracy == 0.8
    assert versions[0].shared_accuracy == 0.65


async def test_a_deleted_example_takes_the_heads_with_it(database: Database, shop: Shop) -> None:
    example_id = await labelled(database, shop)
    other = await open_shop(database)
    for one in (shop, other):
        await keep_head(database, one)

    async with units_on(database).of(shop.tenant) as work:
        await delete_example(work, OPERATOR, example_id)

    assert await rows(database, own_heads, of=shop) == []
    assert len(await rows(database, own_heads, of=other)) == 1


async def test_a_head_whose_lesson_went_while_it_was_fitted_is_not_kept(
    database: Database, shop: Shop
) -> None:
    example_id = await labelled(database, shop)
    lessons = await lessons_of(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await delete_example(work, OPERATOR, example_id)

    async with database.tenant(shop.tenant) as connection:
        heads = OwnHeadRepository(connection, shop.tenant)
        assert not await heads.keep(new_ulid(), USED, lessons, model=MODEL, now=utc_now())

    assert await rows(database, own_heads, of=shop) == []


async def test_a_deletion_waits_for_the_head_that_is_being_kept_and_finds_it(
    database: Database, shop: Shop
) -> None:
    example_id = await labelled(database, shop)
    lessons = await lessons_of(database, shop)

    async def deleted() -> None:
        async with units_on(database).of(shop.tenant) as work:
            await delete_example(work, OPERATOR, example_id)

    async with asyncio.TaskGroup() as tasks, database.tenant(shop.tenant) as connection:
        heads = OwnHeadRepository(connection, shop.tenant)
        assert await heads.keep(new_ulid(), USED, lessons, model=MODEL, now=utc_now())
        deletion = tasks.create_task(deleted())
        done, _ = await asyncio.wait({deletion}, timeout=0.2)
        assert not done

    assert await rows(database, own_heads, of=shop) == []


async def test_no_head_is_kept_for_a_client_that_is_being_erased(
    database: Database, shop: Shop
) -> None:
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == shop.client_id)
            .values(closed_at=utc_now() - timedelta(minutes=1))
        )

    with pytest.raises(ClientNotFound):
        await keep_head(database, shop)
