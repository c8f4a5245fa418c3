"""Plans and spending counters of language models, for tests."""

import secrets
from datetime import UTC, date, datetime, timedelta

import sqlalchemy as sa

from domain.billing.model_money import SpendingScope
from domain.core.period import period_of
from domain.tenants.client import Plan
from store.core.database import Database
from store.core.tables import model_spending
from store.runs.brain_costs import BrainCosts
from store.tenants.tables import clients
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop, open_shop


def a_day() -> datetime:
    """Return noon of a random day. The counters have no tenant, so each test uses a separate
    day."""
    return datetime(2200, 1, 1, 12, tzinfo=UTC) + timedelta(days=secrets.randbelow(2_000_000))


async def unpaid_shop(database: Database, trial_ends_at: datetime | None = None) -> Shop:
    """Create a client on the free plan, in its trial if it has an end."""
    shop = await open_shop(database)
    await set_plan(database, shop, Plan.FREE, trial_ends_at)
    return shop


async def set_plan(
    database: Database, shop: Shop, plan: Plan, trial_ends_at: datetime | None = None
) -> None:
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == shop.client_id)
            .values(plan=plan, trial_ends_at=trial_ends_at)
        )


async def spent_in_a_day(database: Database, day: date) -> dict[SpendingScope, int]:
    found = await rows(database, model_spending, day=day)
    return {SpendingScope(row["scope"]): row["micros"] for row in found}


async def spent_in_the_month(database: Database, shop: Shop, now: datetime) -> int:
    async with database.tenant(shop.tenant) as connection:
        return (await BrainCosts(connection, shop.tenant).spent(period_of(now))).cost_micros
