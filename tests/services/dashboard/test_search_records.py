"""Search results: by the prefix of a word, an address, an order number or an id."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.dashboard.search import SearchResults, search_records
from store.content.content import ContentRepository
from store.core.database import Database
from store.dashboard import record_search
from store.intake.tables import engine_events
from tests.support.reviews.replies import conversation_of
from tests.support.runs.conversation import CUSTOMER, write
from tests.support.runs.traced_run import traced_run
from tests.support.tenants.shop import Shop, open_shop

VIEWER = Actor.person("v", Role.VIEWER)
SOPHIE = "Sophie.Martin@example.com"


async def _found(database: Database, shop: Shop, text: str, limit: int = 10) -> SearchResults:
    async with database.reading(shop.tenant) as connection:
        return await search_records(connection, shop.tenant, VIEWER, text, limit=limit)


async def _talk(database: Database, shop: Shop, text: str, customer: str, key: str) -> str:
    ref = await write(database, shop, text, customer=customer, key=key)
    return await conversation_of(database, ref.event_id)


async def test_words_find_addresses_and_messages(database: Database, shop: Shop) -> None:
    sophie = await _talk(database, shop, "Où est ma commande reçue ?", SOPHIE, "a")
    other = await _talk(database, shop, "Je l'ai donnée à SOPHIE hier.", "b@c.example", "b")
    stranger = await open_shop(database)
    await _talk(database, stranger, "Sophie", SOPHIE, "a")

    for text, ids in (
        ("sophie", [other, sophie]),
        ("SOPH", [other, sophie]),
        ("martin", [sophie]),
        ("sophie.martin@exa", [sophie]),
        (SOPHIE, [sophie]),
        ("recue", [sophie]),
        ("reçu commande", [sophie]),
        ("sophie hier", [other]),
        ("ophie", []),
        ("%", []),
        (".*", []),
    ):
        found = await _found(database, shop, text)
        assert [one.id for one in found.tickets] == ids, text
    (first,) = (await _found(database, shop, "sophie", limit=1)).tickets
    assert first.id == other
    assert first.latest == "Je l'ai donnée à SOPHIE hier."


async def test_words_are_found_however_their_letters_are_written(
    database: Database, shop: Shop
) -> None:
    heart = await _talk(database, shop, "Un CŒUR, et cætera", "a@b.example", "a")
    marks = await _talk(database, shop, "J'ai rec\u0327u un e\u0301tui", "b@b.example", "b")

    for text, talk in (
        ("cœur", heart),
        ("COEUR", heart),
        ("co", heart),
        ("CŒUR", heart),
        ("coeur", heart),
        ("caetera", heart),
        ("reçu", marks),
        ("rec\u0327u étui", marks),
    ):
        found = await _found(database, shop, text)
        assert [one.id for one in found.tickets] == [talk], text


@pytest.mark.parametrize("ticket", ["abc-def", "1042", "案件"])
async def test_a_ticket_is_found_by_its_id(database: Database, shop: Shop, ticket: str) -> None:
    """Even if it contains no digit, or if an order has the same number."""
    of_order = await conversation_of(database, (await traced_run(database, shop)).ref.event_id)
    ref = await write(database, shop, "x", customer="c@b.example", key="c")
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.id == ref.event_id)
            .values(unified={"ticket_id": ticket})
        )

    found = await _found(database, shop, ticket)

    assert [one.id for one in found.tickets] == [await conversation_of(database, ref.event_id)]
    assert [one.id for one in found.of_order] == ([of_order] if ticket == "1042" else [])


async def test_a_search_by_words_reads_the_latest_messages_of_a_conversation(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_search, "MESSAGES_EXAMINED", 2)
    now = utc_now()
    for minutes, text in ((3, "premier"), (2, "suivant"), (1, "dernier")):
        await write(database, shop, text, now=now - timedelta(minutes=minutes))

    assert (await _found(database, shop, "premier")).is_empty
    for text in ("suivant", "dernier"):
        assert (await _found(database, shop, text)).tickets, text


async def test_without_a_text_the_latest_tickets_are_found(database: Database, shop: Shop) -> None:
    talks = [
        await _talk(database, shop, "x", f"{name}@b.example", name) for name in ("a", "b", "c")
    ]
    found = await _found(database, shop, " ", limit=2)

    assert [one.id for one in found.tickets] == [talks[2], talks[1]]


async def test_numbers_find_orders_and_ids_find_records(database: Database, shop: Shop) -> None:
    ref = (await traced_run(database, shop)).ref
    talk = await conversation_of(database, ref.event_id)

    by_order = await _found(database, shop, "#1042")
    assert (by_order.order, [one.id for one in by_order.of_order]) == ("1042", [talk])
    assert by_order.tickets == (), "the message names the order too, but one line is enough"
    by_id = await _found(database, shop, ref.run_id.lower())
    assert [(one.kind, one.id) for one in by_id.records] == [("run", ref.run_id)]
    by_address = await _found(database, shop, CUSTOMER.upper())
    assert [one.id for one in by_address.tickets] == [talk]
    stranger = await open_shop(database)
    for text in ("#1042", ref.run_id, CUSTOMER, "remboursée"):
        assert (await _found(database, stranger, text)).is_empty, text


async def test_words_find_articles(database: Database, shop: Shop) -> None:
    stranger = await open_shop(database)
    for owner, title, body, language in (
        (shop, "Entretien", "Nous livrons en Belgique.", "fr"),
        (shop, "Livraison à l’étranger", "Trois jours.", "fr"),
        (shop, "Returns", "Within two weeks.", "en"),
        (stranger, "Livraison", "x", "fr"),
    ):
        async with database.tenant(owner.tenant) as connection:
            await ContentRepository(connection, owner.tenant).add_knowledge(
                entry_id=new_ulid(), title=title, body=body, language=language, now=utc_now()
            )
    for text, titles in (
        ("livr", ["Livraison à l’étranger", "Entretien"]),
        ("livraison etranger", ["Livraison à l’étranger"]),
        ("belg", ["Entretien"]),
        ("weeks", ["Returns"]),
        ("the", []),
    ):
        found = await _found(database, shop, text)
        assert [one.title for one in found.articles] == titles, text


async def test_a_search_by_words_has_an_end(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = utc_now()
    ref = await write(
        database, shop, "vieux", customer="a@b.example", key="a", now=now - timedelta(hours=1)
    )
    await write(database, shop, "neuf", customer="c@b.example", key="b", now=now)
    monkeypatch.setattr(record_search, "EXAMINED", 1)

    assert (await _found(database, shop, "vieux")).is_empty
    assert (await _found(database, shop, "neuf")).tickets
    (old,) = (await _found(database, shop, "a@b.example")).tickets
    assert old.id == await conversation_of(database, ref.event_id)


async def test_keys_may_not_search(database: Database, shop: Shop) -> None:
    async with database.reading(shop.tenant) as connection:
        with pytest.raises(RoleRequired):
            await search_records(connection, shop.tenant, Actor.key("k"), "x", limit=1)
