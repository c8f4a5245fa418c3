"""Repositories with a real PostgreSQL."""

import asyncio

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.intake.event import Channel, UnifiedEvent
from domain.playbooks.errors import PlaybookNotFound
from domain.tenants.client import Plan
from domain.tenants.errors import ClientNotFound, KeyNotFound
from store.billing.tables import credit_ledger
from store.content.content import ContentRepository
from store.content.knowledge_search import KnowledgeSearch
from store.core.database import Database
from store.intake.events import EventRepository
from store.playbooks.playbooks import client_of
from store.runs.conversations import ConversationRepository
from store.runs.tables import ai_conversations
from store.tenants.accounts import AccountRepository
from store.tenants.clients import ClientRepository
from store.tenants.keys import KeyRepository
from store.tenants.tables import clients
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.intake.admission import admit_event
from tests.support.tenants.shop import Shop, open_shop


async def test_credits_agree_with_their_ledger_under_sixty_callers(
    database: Database, shop: Shop
) -> None:
    async def add(amount: int) -> None:
        async with database.service() as connection:
            await AccountRepository(connection, shop.tenant).add_credits(
                amount, entry_id=new_ulid(), reason="test", now=utc_now()
            )

    await add(10)
    outcomes = await asyncio.gather(*(add(-1) for _ in range(60)), return_exceptions=True)

    assert sum(outcome is None for outcome in outcomes) == 10
    assert sum(isinstance(outcome, InvalidInput) for outcome in outcomes) == 50
    client = await only_row(database, clients, id=shop.client_id)
    ledger = await rows(database, credit_ledger, client_id=shop.client_id)
    assert client["credits_balance"] == sum(entry["amount"] for entry in ledger) == 0


async def test_owner_is_made_once(database: Database) -> None:
    owners = set()
    for _ in range(2):
        async with database.service() as connection:
            owners.add(
                await ClientRepository(connection).create(
                    client_id=new_ulid(),
                    user_id=new_ulid(),
                    brand="B",
                    plan=Plan.FREE,
                    owner_email=" Owner@Example.com",
                    now=utc_now(),
                )
            )

    assert len(owners) == 1


async def test_what_is_not_there(database: Database) -> None:
    with pytest.raises(ClientNotFound):
        async with database.service() as connection:
            await AccountRepository(connection, TenantId("nobody")).lock()
    with pytest.raises(KeyNotFound):
        async with database.service() as connection:
            await KeyRepository(connection).revoke("nothing", utc_now())
    with pytest.raises(PlaybookNotFound):
        async with database.service() as connection:
            await client_of(connection, "nothing")


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("combien coute la livraison express", "Délais et frais de livraison"),
        ("COMBIEN COÛTE LA LIVRAISON ?!", "Délais et frais de livraison"),
        ("how long does shipping take?", "Shipping times"),
        ("les délais des livraisons", "Délais et frais de livraison"),
    ],
)
async def test_knowledge_is_found_whatever_the_accents(
    database: Database, shop: Shop, question: str, title: str
) -> None:
    await _add_knowledge(database, shop)

    async with database.service() as connection:
        found = await KnowledgeSearch(connection, shop.tenant).find(question)

    assert found[0].title == title


@pytest.mark.parametrize("question", ["", "licorne", "& | ! :* ('", "\\", "the and of", "💥" * 10])
async def test_nothing_is_found_for_nothing(database: Database, shop: Shop, question: str) -> None:
    await _add_knowledge(database, shop)

    async with database.service() as connection:
        assert await KnowledgeSearch(connection, shop.tenant).find(question) == ()


async def test_knowledge_stays_with_its_client(database: Database, shop: Shop) -> None:
    await _add_knowledge(database, shop)
    other = await open_shop(database)

    async with database.service() as connection:
        assert await KnowledgeSearch(connection, other.tenant).find("livraison") == ()


async def test_memory_loses_no_turn_when_two_answers_meet(database: Database, shop: Shop) -> None:
    """The second one waits for the first, and then sees its changes."""
    events = [await _answered_event(database, shop, number) for number in range(2)]
    first_holds_it, first_may_commit = asyncio.Event(), asyncio.Event()

    async def persist(event_id: str, *, first: bool) -> None:
        async with database.service() as connection:
            await EventRepository(connection, shop.tenant).store_reply(
                event_id, message_id=new_ulid(), author="agent", body="answer", now=utc_now()
            )
            await ConversationRepository(connection, shop.tenant).remember(event_id, utc_now())
            if first:
                first_holds_it.set()
                await first_may_commit.wait()

    leading = asyncio.ensure_future(persist(events[0], first=True))
    await first_holds_it.wait()
    following = asyncio.ensure_future(persist(events[1], first=False))
    await eventually(lambda: _somebody_waits_for_a_lock(database))
    first_may_commit.set()
    await asyncio.gather(leading, following)

    conversation = await only_row(database, ai_conversations, of=shop)
    assert len(conversation["turns"]) == 4


async def _add_knowledge(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        content = ContentRepository(connection, shop.tenant)
        for title, body, language in (
            ("Délais et frais de livraison", "La livraison express coûte 9,90 €.", "fr"),
            ("Entretien du lin", "Lavage à 30 °C.", "fr"),
            ("Shipping times", "Shipping takes three days.", "en"),
        ):
            await content.add_knowledge(
                entry_id=new_ulid(), title=title, body=body, language=language, now=utc_now()
            )


async def _answered_event(database: Database, shop: Shop, number: int) -> str:
    """Create an event whose message belongs to the only conversation of these tests."""
    admitted = await admit_event(database, shop, message=f"question {number}")
    event_id = admitted.ref.event_id
    async with database.service() as connection:
        opened = await ConversationRepository(connection, shop.tenant).open(
            "email:a@b.example",
            event_id=event_id,
            conversation_id=new_ulid(),
            channel="api",
            customer_email=None,
            memory_key=None,
            now=utc_now(),
        )
        await EventRepository(connection, shop.tenant).save_unified(
            event_id,
            UnifiedEvent(channel=Channel.API, text=f"question {number}"),
            conversation_id=opened.id,
        )
    return event_id


async def _somebody_waits_for_a_lock(database: Database) -> bool:
    async with database.unscoped() as connection:
        waiting = await connection.scalar(
            sa.text(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
        )
    return bool(waiting)
