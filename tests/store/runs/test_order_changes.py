"""A run's order, after later actions on it."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.order_changes import OrderChange
from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.integrations.order import Lookup, LookupState
from store.core.database import Database
from store.reviews.reviews import read_review
from store.runs.order_changes import order_changes
from store.runs.tables import action_ledger
from tests.support.agent.orders import an_order
from tests.support.intake.admission import admit_event
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

ORDER = an_order(number="1044", total=Money(minor=32_000, currency="EUR"))


async def test_an_order_is_shown_as_it_is_now(database: Database, shop: Shop) -> None:
    """Later refunds, by any run, reduce the refundable amount."""
    lookup = Lookup(state=LookupState.FOUND, order=ORDER, number="1044").model_dump(mode="json")
    review_id = await open_review(database, shop, lookup=lookup)
    other = (await admit_event(database, shop)).ref.run_id
    assert await _refundable(database, shop, review_id) == 32_000

    async with database.reading(shop.tenant) as connection:
        run_id = (await read_review(connection, shop.client_id, review_id)).run_id
    now = utc_now()
    await _refund(database, shop, other, 100, at=now - timedelta(hours=1))  # the shop included it
    await _refund(database, shop, other, 200, at=now + timedelta(minutes=1), state="failed")
    await _refund(database, shop, other, 400, at=now + timedelta(minutes=1), key="demo_shop/1")
    assert await _refundable(database, shop, review_id) == 32_000

    await _refund(database, shop, other, 2_000, at=now + timedelta(minutes=2))
    assert await _refundable(database, shop, review_id) == 30_000
    await _refund(database, shop, run_id, 30_000, at=now + timedelta(minutes=3))
    assert await _refundable(database, shop, review_id) == 0

    async with database.reading(shop.tenant) as connection:
        changes = await order_changes(connection, shop.client_id, run_id)
        assert [one.amount.minor for one in changes if one.amount] == [2_000, 30_000]
        assert changes[0] == OrderChange(
            action=ActionKind.REFUND, amount=Money(minor=2_000, currency="EUR")
        )
        assert await order_changes(connection, shop.client_id, other) == ()


async def test_what_the_lookup_contains_is_not_subtracted_again(
    database: Database, shop: Shop
) -> None:
    """A reopened case looks its order up again, after its message and earlier actions."""
    now = utc_now()
    looked_up_at = now + timedelta(minutes=5)
    lookup = Lookup(state=LookupState.FOUND, order=ORDER, number="1044", looked_up_at=looked_up_at)
    review_id = await open_review(database, shop, lookup=lookup.model_dump(mode="json"))
    other = (await admit_event(database, shop)).ref.run_id
    async with database.reading(shop.tenant) as connection:
        run_id = (await read_review(connection, shop.client_id, review_id)).run_id

    await _refund(database, shop, other, 100, at=now + timedelta(minutes=2))
    await _refund(database, shop, run_id, 200, at=now + timedelta(minutes=3))
    assert await _refundable(database, shop, review_id) == 32_000

    await _refund(database, shop, run_id, 400, at=now + timedelta(minutes=6))
    await _refund(database, shop, other, 800, at=now + timedelta(minutes=7))
    assert await _refundable(database, shop, review_id) == 30_800


async def _refundable(database: Database, shop: Shop, review_id: str) -> int:
    async with database.reading(shop.tenant) as connection:
        order = (await read_review(connection, shop.client_id, review_id)).order
    assert order is not None
    return order.refundable.minor


async def _refund(
    database: Database,
    shop: Shop,
    run_id: str,
    minor: int,
    *,
    at: datetime,
    state: str = "done",
    key: str = ORDER.key,
) -> None:
    async with database.tenant(shop.tenant) as connection:
        steps = sa.select(sa.func.count()).select_from(action_ledger)
        await connection.execute(
            sa.insert(action_ledger).values(
                client_id=shop.client_id,
                id=new_ulid(),
                run_id=run_id,
                step=(await connection.scalar(steps)) or 0,
                round=0,
                action="refund",
                state=state,
                detail="",
                order_key=key,
                amount=minor,
                currency="EUR",
                planned_at=at,
                finished_at=at,
            )
        )
