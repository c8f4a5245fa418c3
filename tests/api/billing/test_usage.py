"""GET /api/billing/usage: every field, and the boundaries of months and trials."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid
from domain.tenants.client import Plan
from store.billing.tables import usage_counters
from store.tenants.accounts import AccountRepository
from tests.support.billing.usage import NOW, USAGE, ask, change_client, told, use
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import row_counts
from tests.support.reviews.dashboard import set_clock
from tests.support.tenants.shop import Shop, open_shop


async def test_every_field(front: LiveEngine, shop: Shop) -> None:
    set_clock(front, NOW)
    await use(front, shop, m2026_11=42)
    async with front.database.service() as connection:
        await AccountRepository(connection, shop.tenant).add_credits(
            7, entry_id=new_ulid(), reason="bought", now=NOW
        )
    other = await open_shop(front.database)
    await use(front, other, m2026_11=999)

    answer = await ask(front, shop)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert body == {
        "plan": "pro",
        "period": "2026-11",
        "tickets_used": 42,
        "tickets_limit": 5000,
        "voice_minutes_used": 0,
        "voice_minutes_limit": 0,
        "overage_tickets": 0,
        "overage_cost": 0,
        "quota_reached": False,
        "credits_balance": 7,
        "trial_ends_at": None,
        "next_billing_date": "2026-12-01",
    }
    assert {name: type(value) for name, value in body.items()} == {
        "plan": str,
        "period": str,
        "tickets_used": int,
        "tickets_limit": int,
        "voice_minutes_used": int,
        "voice_minutes_limit": int,
        "overage_tickets": int,
        "overage_cost": int,
        "quota_reached": bool,
        "credits_balance": int,
        "trial_ends_at": type(None),
        "next_billing_date": str,
    }


@pytest.mark.parametrize(
    ("plan", "limit"),
    [(Plan.FREE, 50), (Plan.STARTER, 1000), (Plan.PRO, 5000), (Plan.ENTERPRISE, -1)],
)
async def test_limit_and_its_reaching(
    front: LiveEngine, shop: Shop, plan: Plan, limit: int
) -> None:
    set_clock(front, NOW)
    await change_client(front, shop, plan=plan)
    await use(front, shop, m2026_11=max(limit - 1, 0))

    below = await told(front, shop)
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(usage_counters)
            .where(usage_counters.c.client_id == shop.client_id)
            .values(tickets_used=usage_counters.c.tickets_used + 1)
        )
    at_limit = await told(front, shop)

    assert (below["plan"], below["tickets_limit"], below["quota_reached"]) == (plan, limit, False)
    assert at_limit["quota_reached"] is (plan != Plan.ENTERPRISE)


@pytest.mark.parametrize(
    ("now", "period", "used", "next_billing"),
    [
        ("2026-11-30T23:59:59.999999+00:00", "2026-11", 11, "2026-12-01"),
        ("2026-12-01T00:00:00+00:00", "2026-12", 12, "2027-01-01"),
        ("2026-12-31T23:59:59+00:00", "2026-12", 12, "2027-01-01"),
        ("2027-01-01T00:00:00+00:00", "2027-01", 0, "2027-02-01"),
        ("2028-02-29T08:00:00+00:00", "2028-02", 0, "2028-03-01"),
        # Already December locally, still November in UTC.
        ("2026-12-01T00:30:00+01:00", "2026-11", 11, "2026-12-01"),
    ],
)
async def test_counters_are_strictly_of_this_month(
    front: LiveEngine, shop: Shop, now: str, period: str, used: int, next_billing: str
) -> None:
    await use(front, shop, m2025_11=5, m2025_12=5, m2026_10=10, m2026_11=11, m2026_12=12)
    set_clock(front, datetime.fromisoformat(now))

    body = await told(front, shop)

    assert (body["period"], body["tickets_used"]) == (period, used)
    assert body["next_billing_date"] == next_billing


async def test_clock_is_read_once(front: LiveEngine, shop: Shop) -> None:
    """A request at the turn of the year: period and next_billing_date are consistent."""
    turn = datetime(2027, 1, 1, tzinfo=UTC)
    readings = iter([turn - timedelta(microseconds=1), turn, turn, turn])
    resources = front.app.state.resources
    front.app.state.resources = dataclasses.replace(resources, now=lambda: next(readings))

    body = await told(front, shop)

    assert (body["period"], body["next_billing_date"]) == ("2026-12", "2027-01-01")


async def test_trial_has_the_quota_of_pro_until_it_ends(front: LiveEngine, shop: Shop) -> None:
    ends = NOW + timedelta(days=3)
    await change_client(front, shop, plan=Plan.FREE, trial_ends_at=ends)

    set_clock(front, ends - timedelta(seconds=1))
    during = await told(front, shop)
    set_clock(front, ends)
    after = await told(front, shop)

    assert (during["plan"], during["tickets_limit"]) == ("pro", 5000)
    assert during["trial_ends_at"] == "2026-11-24T12:30:00.000Z"
    assert (after["plan"], after["tickets_limit"], after["trial_ends_at"]) == ("free", 50, None)


async def test_downgrade_shows_when_it_is_in_force(front: LiveEngine, shop: Shop) -> None:
    begins = datetime(2026, 12, 1, tzinfo=UTC)
    await change_client(front, shop, next_plan=Plan.STARTER, next_plan_from=begins)

    set_clock(front, begins - timedelta(seconds=1))
    assert (await told(front, shop))["plan"] == "pro"
    set_clock(front, begins)
    assert (await told(front, shop))["tickets_limit"] == 1000


async def test_lower_case_client_id(front: LiveEngine, shop: Shop) -> None:
    assert (await ask(front, shop, shop.client_id.lower())).status_code == 200


async def test_asking_changes_nothing(front: LiveEngine, shop: Shop) -> None:
    before = await row_counts(front.database, of=shop)

    await told(front, shop)

    assert await row_counts(front.database, of=shop) == before


async def test_described_with_all_its_answers(front: LiveEngine) -> None:
    document = (await front.http.get("/openapi.json")).json()
    described = document["paths"][USAGE]["get"]

    assert set(described["responses"]) == {
        "200", "400", "401", "403", "404", "405", "429", "431", "500", "503"
    }  # fmt: skip
    assert [parameter["name"] for parameter in described["parameters"]] == ["client_id"]
    record = document["components"]["schemas"]["UsageRecord"]
    assert len(record["required"]) == len(record["properties"]) == 12
