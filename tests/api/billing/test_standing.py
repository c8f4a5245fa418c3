"""GET routes for the plan, credits and usage, as a member sees them."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from adapters.system import new_ulid
from domain.core.period import period_of
from domain.tenants.client import Plan
from store.billing.tables import usage_ledger
from store.intake.tables import engine_events
from store.tenants.accounts import AccountRepository
from tests.support.billing.payments import balance_of, show
from tests.support.billing.usage import change_client, use
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import set_clock
from tests.support.tenants.shop import Shop, open_shop

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def test_the_plan_in_a_trial(front: LiveEngine, shop: Shop) -> None:
    set_clock(front, NOW)
    ends = NOW + timedelta(days=14)
    await change_client(front, shop, plan=Plan.FREE, trial_ends_at=ends)

    shown = await show(front, shop, "plan")

    offers = shown.pop("offers")
    assert shown == {
        "plan": "pro",
        "trial_ends_at": "2026-12-05T12:00:00.000Z",
        "paid_plan": "free",
        "next_plan": None,
        "next_plan_from": None,
        "can_pay": True,
    }
    assert [(one["plan"], one["tickets"], one["features"]) for one in offers] == [
        ("free", 50, []),
        ("starter", 1000, []),
        ("pro", 5000, ["webhooks"]),
        ("enterprise", -1, ["webhooks"]),
    ]
    assert [one["price"] for one in offers] == [
        None,
        {"minor": 4900, "currency": "EUR"},
        {"minor": 14900, "currency": "EUR"},
        {"minor": 49900, "currency": "EUR"},
    ]


async def test_the_ledger_page_by_page(front: LiveEngine, shop: Shop) -> None:
    """Each entry has the balance after it, even if entries are added between two pages."""
    amounts = [100, -30, 7, -1, 50]
    await _move(front, shop, *amounts)
    other = await open_shop(front.database)
    await _move(front, other, 1000)

    first = await show(front, shop, "credits", limit=2)
    await _move(front, shop, 500)
    second = await show(front, shop, "credits", limit=2, cursor=first["next_cursor"])
    last = await show(front, shop, "credits", limit=2, cursor=second["next_cursor"])

    assert (first["credits_balance"], last["credits_balance"]) == (126, 626)
    assert last["next_cursor"] is None
    seen = [one for page in (first, second, last) for one in page["entries"]]
    assert [(one["amount"], one["balance"]) for one in seen] == [
        (50, 126),
        (-1, 76),
        (7, 77),
        (-30, 70),
        (100, 100),
    ]
    newest = (await show(front, shop, "credits", limit=1))["entries"][0]
    assert (newest["amount"], newest["balance"], newest["reason"]) == (500, 626, "test")
    assert [one["credits"] for one in first["packs"]] == [100, 500, 2000]
    assert await balance_of(front.database, shop) == 626


async def _move(front: LiveEngine, shop: Shop, *amounts: int) -> None:
    for amount in amounts:
        async with front.database.service() as connection:
            await AccountRepository(connection, shop.tenant).add_credits(
                amount, entry_id=new_ulid(), reason="test", now=NOW
            )


async def test_usage_by_month_and_to_come(front: LiveEngine, shop: Shop) -> None:
    set_clock(front, NOW)
    await change_client(front, shop, plan=Plan.FREE, created_at=NOW - timedelta(days=100))
    await use(front, shop, m2026_08=5, m2026_10=11, m2026_11=41, m2026_12=99)
    other = await open_shop(front.database)
    await _tickets(front, other, *[NOW - timedelta(days=1)] * 30)
    # Seven days with fourteen tickets; today and the previous week do not count.
    await _tickets(
        front, shop, *(NOW - timedelta(days=n, hours=h) for n in range(1, 8) for h in (1, 2))
    )
    await _tickets(front, shop, NOW, NOW - timedelta(days=9))

    shown = await show(front, shop, "usage")

    assert (shown["current"]["tickets_used"], shown["current"]["tickets_limit"]) == (41, 50)
    assert shown["history"] == [
        {"period": "2026-10", "tickets_used": 11},
        {"period": "2026-08", "tickets_used": 5},
    ]
    # Nine are left, and two are used each day.
    assert shown["forecast"] == {
        "tickets_per_day": 2.0,
        "quota_ends_on": "2026-11-26",
        "credits_end_on": "2026-11-26",
    }


async def test_a_young_and_an_unlimited_client(front: LiveEngine, shop: Shop) -> None:
    set_clock(front, NOW)
    await change_client(front, shop, plan=Plan.FREE, created_at=NOW)
    assert (await show(front, shop, "usage"))["forecast"] is None
    await change_client(front, shop, plan=Plan.FREE, created_at=NOW - timedelta(days=1))
    await _tickets(front, shop, NOW - timedelta(days=1))
    assert (await show(front, shop, "usage"))["forecast"]["tickets_per_day"] == 1.0
    await change_client(front, shop, plan=Plan.ENTERPRISE)
    assert (await show(front, shop, "usage"))["forecast"] is None


async def _tickets(front: LiveEngine, shop: Shop, *at: datetime) -> None:
    """Return the lines of the usage ledger."""
    async with front.database.service() as connection:
        for moment in at:
            whose = {"client_id": shop.client_id, "id": new_ulid()}
            event = {"event_type": "x", "outcome": "run", "received_at": moment}
            await connection.execute(sa.insert(engine_events).values({**whose, **event}))
            await connection.execute(
                sa.insert(usage_ledger).values(
                    client_id=shop.client_id,
                    event_id=whose["id"],
                    period=period_of(moment),
                    paid_by="quota",
                    created_at=moment,
                )
            )
