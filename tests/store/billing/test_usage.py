"""The query behind the usage endpoint."""

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from adapters.system import new_ulid
from domain.billing.subscription import Subscription
from domain.core.ids import TenantId
from domain.core.period import Period
from domain.tenants.client import Plan
from domain.tenants.errors import ClientNotFound
from store.billing.tables import usage_counters
from store.billing.usage import ClientUsage, UsageRepository
from store.core.database import Database
from tests.support.tenants.shop import Shop, open_shop

NOVEMBER = Period("2026-11")


async def test_month_without_a_ticket(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        usage = await UsageRepository(connection, shop.tenant).in_month(NOVEMBER)

    assert usage == ClientUsage(Subscription(Plan.PRO), tickets_used=0, credits_balance=0)


async def test_only_that_month_of_only_that_client_in_one_query(
    database: Database, shop: Shop
) -> None:
    other = await open_shop(database)
    async with database.service() as connection:
        for client_id, period, used in (
            (shop.client_id, "2026-10", 1),
            (shop.client_id, "2026-11", 2),
            (shop.client_id, "2026-12", 4),
            (other.client_id, "2026-11", 8),
        ):
            await connection.execute(
                sa.insert(usage_counters).values(
                    client_id=client_id, period=period, tickets_used=used
                )
            )
    statements: list[str] = []

    async with database.tenant(shop.tenant) as connection:
        event.listen(
            connection.sync_connection,
            "before_cursor_execute",
            lambda *arguments: statements.append(arguments[2]),
        )
        usage = await UsageRepository(connection, shop.tenant).in_month(NOVEMBER)

    assert usage.tickets_used == 2
    assert len(statements) == 1


async def test_unknown_client(database: Database, shop: Shop) -> None:
    stranger = TenantId(new_ulid())
    async with database.tenant(stranger) as connection:
        with pytest.raises(ClientNotFound):
            await UsageRepository(connection, stranger).in_month(NOVEMBER)
    async with database.tenant(stranger) as connection:
        with pytest.raises(ClientNotFound):
            await UsageRepository(connection, shop.tenant).in_month(NOVEMBER)
