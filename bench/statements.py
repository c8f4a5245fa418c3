"""The SQL statements that process an event, captured while the service's own code executes them."""

import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from bench.load import LoadShop
from domain.core.ids import TenantId
from domain.core.period import period_of
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from domain.runs.conversation import conversation_key, memory_key
from domain.tenants.actor import Actor
from domain.tenants.api_key import KeyMaterial, key_material
from services.core.unit_of_work import UnitOfWork
from services.intake.admission import admit_event
from store.billing.usage import UsageRepository
from store.content.content import ContentRepository
from store.content.knowledge_search import KnowledgeSearch
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.intake.arrivals import Arrival
from store.intake.events import EventRepository
from store.runs.conversations import ConversationRepository
from store.runs.run_lists import RunFilter, RunLists
from store.runs.runs import RunRepository
from store.runs.sentiment import SentimentRepository
from store.runs.traces import RunTraces
from store.tenants.keys import KeyRepository

ACTIVE_KEY: Final = "active key"
ADMISSION: Final = (
    "account lock",
    "recent use",
    "playbooks",
    "event, message and run",
    "charge",
)
"""The names of the statements that admit an event, in order. An event that crosses a threshold
executes more statements."""

TICKET: Final = InboundEvent(
    event_type="shopify.ticket_created",
    source="shopify",
    customer_email="emma@example.com",
    message="Bonjour, où en est ma commande n° 1042 ? Merci, Emma",
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One execution of a statement. The SQL has parameters such as %(name)s."""

    sql: str
    parameters: Mapping[str, object]
    ms: float


@contextmanager
def watched(database: Database) -> Iterator[list[Statement]]:
    """Yield a list to which every executed statement is appended during the block."""
    seen: list[Statement] = []
    began = 0.0

    def before(*_: object) -> None:
        nonlocal began
        began = time.perf_counter()

    def after(
        _: object, __: object, sql: str, parameters: Mapping[str, object], *___: object
    ) -> None:
        seen.append(Statement(sql, parameters, (time.perf_counter() - began) * 1000))

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", before)
    event.listen(engine, "after_cursor_execute", after)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", before)
        event.remove(engine, "after_cursor_execute", after)


def arrival(event: InboundEvent) -> Arrival:
    """Return the event as an arrival, with new ids."""
    return Arrival(
        event=event,
        event_id=new_ulid(),
        run_id=new_ulid(),
        message_id=new_ulid(),
        received_at=utc_now(),
    )


def material_of(shop: LoadShop) -> KeyMaterial:
    """Return the parts of the shop's API key that are stored in the database. Raises ValueError if
    the key is malformed."""
    material = key_material(shop.key)
    if material is None:
        raise ValueError("the shop's API key is malformed")
    return material


async def hot_statements(database: Database, shop: LoadShop) -> dict[str, Statement]:
    """Execute the statements that read usage and process an event, and return one execution of each
    by name. All changes are rolled back."""
    tenant, now = TenantId(shop.client_id), utc_now()
    found: dict[str, Statement] = {}
    with watched(database) as seen:

        def name(*names: str) -> None:
            found.update(zip(names, seen, strict=True))
            seen.clear()

        async with database.unscoped() as connection:
            key = await KeyRepository(connection).find_active(material_of(shop))
        if key is None:
            raise RuntimeError("the database has no API key of the shop")
        name(ACTIVE_KEY)
        async with _undone(database, tenant) as connection:
            await UsageRepository(connection, tenant).in_month(period_of(now))
            name("usage read")
            ids = arrival(TICKET)
            work = UnitOfWork(connection, tenant, now, new_ulid)
            await admit_event(work, Actor.key(key.id), ids, utc_now)
            name(*ADMISSION)
            await _work(connection, tenant, ids, name)
    return found


async def _work(
    connection: AsyncConnection, tenant: TenantId, ids: Arrival, name: Callable[..., None]
) -> None:
    """Run the statements for a run's steps, then the statements that display the run to users."""
    now = ids.received_at
    events = EventRepository(connection, tenant)
    inbound = await events.inbound(ids.event_id)
    name("event")
    unified = normalize(inbound, fallback_ticket_id=ids.event_id)
    conversations = ConversationRepository(connection, tenant)
    opened = await conversations.open(
        conversation_key(unified, ids.event_id), event_id=ids.event_id, conversation_id=new_ulid(),
        channel=unified.channel, customer_email=unified.customer_email,
        memory_key=memory_key(unified), now=now,
    )  # fmt: skip
    name("conversation")
    await events.save_unified(ids.event_id, unified, conversation_id=opened.id)
    name("event normalized")
    await CustomerIndex(connection, tenant).keep(
        unified.customer_email, "Camille Martin", is_verified=True, new_id=new_ulid, at=now
    )
    name("customer")
    content = ContentRepository(connection, tenant)
    await content.templates()
    name("templates")
    await KnowledgeSearch(connection, tenant).find(unified.text)
    name("knowledge")
    await RunRepository(connection, tenant).lock(ids.run_id)
    name("run lock")
    await events.store_reply(
        ids.event_id, message_id=new_ulid(), author="agent", body="Bonjour", now=now
    )
    name("reply")
    await events.ticket(ids.event_id)
    name("ticket")
    await conversations.remember(ids.event_id, now)
    name("conversation lock", "earlier runs", "conversation's memory")
    await SentimentRepository(connection, tenant).record(ids.event_id, 0, now=now, new_id=new_ulid)
    name("sentiment lock", "earlier scores", "score")
    await RunLists(connection, tenant).page(RunFilter(), limit=50)
    await RunTraces(connection, tenant).read(ids.run_id)
    name("runs listed", "run traced")
    await RunRepository(connection, tenant).answer(ids.event_id)
    name("answer")


class _UndoneError(Exception):
    """Raised to roll back a transaction."""


@asynccontextmanager
async def _undone(database: Database, tenant: TenantId) -> AsyncIterator[AsyncConnection]:
    with suppress(_UndoneError):
        async with database.tenant(tenant) as connection:
            yield connection
            raise _UndoneError
