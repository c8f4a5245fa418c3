"""The customer of an event that was never normalized: the erasure reads it first."""

import asyncio
import secrets
import threading

import pytest
import sqlalchemy as sa

from activities.privacy.erase_customer import CustomerErasure
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from store.core.database import Database
from store.exports.tables import automation_events
from store.intake.tables import engine_events
from store.privacy import erasure_naming
from store.privacy.erasure_subject import READ_BYTES, FoundRecords, Subject
from store.runs.tables import customer_memories
from tests.support.core.rows import rows
from tests.support.runs.conversation import CUSTOMER, admitted
from tests.support.tenants.shop import Shop

SEALER = FernetSealer(new_seal_key())


def erasure_of(database: Database, shop: Shop) -> CustomerErasure:
    return CustomerErasure(
        database,
        shop.tenant,
        CUSTOMER,
        erasure_id=new_ulid(),
        mark=utc_now(),
        sealer=SEALER,
        now=utc_now,
    )


async def test_others_are_answered_while_events_are_read(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await admitted(database, shop, customer=CUSTOMER, now=utc_now())
    begun, go_on = threading.Event(), threading.Event()

    def slow(event: InboundEvent, *, fallback_ticket_id: str) -> UnifiedEvent:
        begun.set()
        assert go_on.wait(10), "the event loop was held"
        return normalize(event, fallback_ticket_id=fallback_ticket_id)

    monkeypatch.setattr(erasure_naming, "normalize", slow)

    async def answers() -> None:
        await asyncio.to_thread(begun.wait)
        go_on.set()

    answering = asyncio.create_task(answers())
    await erasure_of(database, shop).mark()
    await answering

    assert await marked(database, shop) == {ref.event_id}


async def test_no_transaction_is_open_while_texts_are_compared(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing strangers' emails may take longer than a transaction is allowed to."""
    ids = await leave_events(database, shop, *(text(200_000) for _ in range(3)))
    in_use = []

    def mentions(said: str, key: str) -> bool:
        in_use.append(database.use.in_use)
        return key in said

    monkeypatch.setattr(erasure_naming, "mentions", mentions)

    await erasure_of(database, shop).mark()

    assert await marked(database, shop) == {ids[2]}
    assert set(in_use) == {0}


async def test_texts_are_read_in_parts_of_a_bounded_size(database: Database, shop: Shop) -> None:
    """A compressible payload is read alone, because its size is unknown before."""
    large, small = text(READ_BYTES * 2 // 5), text(1_000)
    same = "x" * 500_000
    ids = await leave_events(database, shop, large, large, large, small, same, same, small)

    async with database.tenant(shop.tenant) as connection:
        page = await Subject(connection, shop.tenant, CUSTOMER, utc_now()).events("")

    assert [one.ids for one in page.unread] == [
        tuple(ids[:2]),
        tuple(ids[2:4]),
        (ids[4],),
        (ids[5],),
        (ids[6],),
    ]
    assert (page.last, page.ids) == (ids[-1], ())


async def test_a_retry_goes_on_at_the_page_that_was_reached(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier pages are not read again: they may take hours."""
    first, _, third = await leave_events(database, shop, "a", "b", "c")
    reached: dict[str, str | None] = {"events": first}
    erasure = CustomerErasure(
        database, shop.tenant, CUSTOMER, erasure_id=new_ulid(), mark=utc_now(),
        sealer=SEALER, now=utc_now,
        reached=reached,
    )  # fmt: skip
    events = Subject.events
    asked: list[str] = []

    async def noted(subject: Subject, after: str) -> FoundRecords:
        asked.append(after)
        return await events(subject, after)

    monkeypatch.setattr("activities.privacy.erase_customer._EVENTS", (("events", noted),))

    await erasure.mark()

    assert asked == [first, third]
    assert reached == {"events": None}
    assert await marked(database, shop) == {third}


async def test_no_address_in_an_id_is_part_of_the_progress(database: Database, shop: Shop) -> None:
    """The progress is stored in Temporal."""
    progress = Progress()
    erasure = CustomerErasure(
        database, shop.tenant, CUSTOMER, erasure_id=new_ulid(), mark=utc_now(),
        sealer=SEALER, now=utc_now,
        reached=progress,
    )  # fmt: skip
    ids = sorted([new_ulid(), f"{CUSTOMER}-1"])
    async with database.tenant(shop.tenant) as connection:
        for event_id in ids:
            await connection.execute(
                sa.insert(automation_events).values(
                    client_id=shop.client_id, id=event_id, event_type="x",
                    customer_email=CUSTOMER, payload={}, created_at=utc_now(),
                )
            )  # fmt: skip
        await connection.execute(
            sa.insert(customer_memories).values(
                client_id=shop.client_id, key=f"email:{CUSTOMER}", summary="x",
                updated_at=utc_now(),
            )
        )  # fmt: skip

    await erasure.remove_rows()

    assert await rows(database, automation_events, of=shop) == []
    assert await rows(database, customer_memories, of=shop) == []
    assert progress.seen == {None}
    assert {"automation_events", "customer_memories", "inbound_webhooks"} <= progress.keys()


class Progress(dict[str, str | None]):
    """Records every value, including replaced ones."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str | None] = set()

    def __setitem__(self, stage: str, last: str | None) -> None:
        self.seen.add(last)
        super().__setitem__(stage, last)


async def marked(database: Database, shop: Shop) -> set[str]:
    found = await rows(database, engine_events, of=shop)
    return {row["id"] for row in found if row["erased_at"] is not None}


async def leave_events(database: Database, shop: Shop, *payloads: str) -> list[str]:
    """Store normalized emails without a customer; the last has the customer's address in its
    payload."""
    ids = sorted(new_ulid() for _ in payloads)
    async with database.tenant(shop.tenant) as connection:
        for event_id, payload in zip(ids, payloads, strict=True):
            said = f"{CUSTOMER} {payload}" if event_id == ids[-1] else payload
            await connection.execute(
                sa.insert(engine_events).values(
                    client_id=shop.client_id, id=event_id, event_type="email.received",
                    outcome="no_playbook", payload={"html": said}, unified={},
                    received_at=utc_now(),
                )
            )  # fmt: skip
    return ids


def text(length: int) -> str:
    """Return a random text, which is stored uncompressed."""
    return secrets.token_urlsafe(length)[:length]
