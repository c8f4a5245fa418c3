"""The use case for credits."""

import pytest
import structlog

from domain.core.errors import InvalidInput
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.billing.credits import add_credits
from store.billing.tables import credit_ledger
from store.core.database import Database
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

OPERATOR = Actor.operator("operator:test")


async def test_a_change_is_in_the_ledger_and_in_the_log(database: Database, shop: Shop) -> None:
    with structlog.testing.capture_logs() as lines:
        async with units_on(database).of(shop.tenant) as work:
            assert await add_credits(work, OPERATOR, 7) == 7

    entry = await only_row(database, credit_ledger, of=shop)
    assert (entry["amount"], entry["reason"]) == (7, "operator")
    (line,) = lines
    assert (line["event"], line["entry_id"]) == ("credits changed", entry["id"])


async def test_refused(database: Database, shop: Shop) -> None:
    owner = Actor.person(shop.owner_user_id, Role.OWNER)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await add_credits(work, owner, 7)
        for amount in (0, -1):
            with pytest.raises(InvalidInput):
                await add_credits(work, OPERATOR, amount)
