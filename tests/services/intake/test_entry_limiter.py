"""A rejection by a full window is remembered until it ends, and only for its client."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid
from domain.core.errors import DomainError
from domain.core.ids import TenantId
from domain.intake.errors import ClientRateLimited, CustomerRateLimited
from domain.intake.event import InboundEvent
from domain.intake.limit_key import LimitKey
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.intake.admission import Admitted, Repeated, Unmatched, receive_event
from services.intake.entry_limiter import EntryLimiter
from store.core.database import Database
from store.intake.idempotency import IdempotencyKey
from tests.support.core.units import Recorder
from tests.support.intake.admission import arrival, sent_before
from tests.support.tenants.shop import Shop, open_shop

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR, TEN_MINUTES = timedelta(hours=1), timedelta(minutes=10)
TICK = timedelta(microseconds=1)
TENANT = TenantId("01KAKJ5X0000000000000000AA")
KEY = IdempotencyKey("key", b"digest")


class Entrance:
    """Events of one shop through one process's entry limiter."""

    def __init__(self, database: Database, shop: Shop) -> None:
        self.entry_limiter = EntryLimiter()
        self._database, self._shop = database, shop

    async def receive(
        self, at: datetime, customer: str | None = None, key: IdempotencyKey | None = None
    ) -> Admitted | Unmatched | Repeated:
        return await receive_event(
            UnitsOfWork(self._database, Recorder(), lambda: at, new_ulid),
            self.entry_limiter,
            Actor.key(self._shop.key_id),
            arrival(customer_email=customer, now=at, idempotency=key),
            tenant=self._shop.tenant,
            now=lambda: at,
        )

    async def refusal(
        self, at: datetime, customer: str | None = None, key: IdempotencyKey | None = None
    ) -> DomainError:
        with pytest.raises((ClientRateLimited, CustomerRateLimited)) as refused:
            await self.receive(at, customer, key)
        error: DomainError = refused.value
        return error


@pytest.fixture
def entrance(database: Database, shop: Shop) -> Entrance:
    return Entrance(database, shop)


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Record the SQL statements."""
    asked: list[str] = []

    def note(_c: object, _k: object, statement: str, *_: object) -> None:
        asked.append(statement)

    engine = database.engine.sync_engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


async def test_clients_window(database: Database, shop: Shop, entrance: Entrance) -> None:
    await sent_before(database, shop, 199, at=NOON)
    await entrance.receive(NOON)
    first = await entrance.refusal(NOON + timedelta(minutes=1))

    with statements(database) as asked:
        for customer in (None, "a@b.example"):
            again = await entrance.refusal(NOON + HOUR - TICK, customer)
            assert isinstance(again, ClientRateLimited)
            assert again.retry_after_s == 1
    assert asked == []
    assert first.retry_after_s == 59 * 60
    assert isinstance(await entrance.receive(NOON + HOUR), Admitted), "the first after the window"


async def test_customers_window(database: Database, shop: Shop, entrance: Entrance) -> None:
    await sent_before(database, shop, 10, customer="a@b.example", at=NOON)
    await entrance.refusal(NOON, " A@b.example")

    with statements(database) as asked:
        again = await entrance.refusal(NOON + TEN_MINUTES - TICK, "a@B.example")
    assert asked == []
    assert again.facts == {"customer_email": "a@B.example"}
    assert isinstance(await entrance.receive(NOON, "c@b.example"), Admitted)
    assert isinstance(await entrance.receive(NOON), Admitted)
    assert isinstance(await entrance.receive(NOON + TEN_MINUTES, "a@b.example"), Admitted)


async def test_one_clients_window_is_nobody_elses(
    database: Database, shop: Shop, entrance: Entrance
) -> None:
    await sent_before(database, shop, 200, at=NOON)
    await entrance.refusal(NOON)
    other = Entrance(database, await open_shop(database))
    other.entry_limiter = entrance.entry_limiter

    assert isinstance(await other.receive(NOON), Admitted)


async def test_repetition_is_answered_and_what_is_new_is_not(
    database: Database, shop: Shop, entrance: Entrance
) -> None:
    await sent_before(database, shop, 199, at=NOON)
    first = await entrance.receive(NOON, key=KEY)
    assert isinstance(first, Admitted)
    await entrance.refusal(NOON)

    assert await entrance.receive(NOON, key=KEY) == Repeated(first.event_id)
    with statements(database) as asked:
        await entrance.refusal(NOON, key=IdempotencyKey("new", b"digest"))
    assert len(asked) == 1
    assert "FOR " not in asked[0], "one read, and no lock"


async def test_what_is_remembered_is_bounded() -> None:
    entry_limiter = EntryLimiter(max_full=2)
    of_all = [InboundEvent(event_type="x", customer_email=f"{n}@b.example") for n in "abc"]
    for event in of_all:
        key = LimitKey(event.customer_email or "", is_claim=False)
        entry_limiter.note(TENANT, CustomerRateLimited("", 1, NOON, key.digest()))

    known = [entry_limiter.known_refusal(TENANT, event, lambda: NOON) for event in of_all]
    assert [one is not None for one in known] == [False, True, True]
