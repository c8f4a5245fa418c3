"""Admission is exact under concurrency."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.billing.errors import QuotaExhausted
from domain.intake.errors import ClientRateLimited, CustomerRateLimited
from domain.tenants.client import Plan
from domain.tenants.errors import Unauthenticated
from store.billing.tables import credit_ledger, thresholds_sent, usage_counters, usage_ledger
from store.core.database import Database
from store.runs.tables import engine_messages, engine_runs
from store.tenants.keys import KeyRepository
from store.tenants.tables import clients
from tests.support.core.rows import only_row, owned, rows
from tests.support.intake.admission import (
    at_once,
    bought,
    on_plan,
    sent_before,
    try_to_admit,
    used_before,
)
from tests.support.tenants.shop import Shop

CALLERS = 60
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def test_one_of_sixty_gets_in_at_199_of_200(database: Database, shop: Shop) -> None:
    await sent_before(database, shop, 199, at=NOON - timedelta(minutes=59))

    came = await at_once(lambda: try_to_admit(database, shop, now=NOON), CALLERS)

    assert came == {"in": 1, ClientRateLimited.code: CALLERS - 1}
    assert len(await rows(database, engine_messages, of=shop)) == 200
    assert (await only_row(database, usage_counters, of=shop))["tickets_used"] == 1


async def test_one_of_sixty_gets_in_at_nine_of_ten(database: Database, shop: Shop) -> None:
    await sent_before(database, shop, 9, customer="a@b.example", at=NOON - timedelta(minutes=9))

    came = await at_once(
        lambda: try_to_admit(database, shop, customer_email=" A@B.Example", now=NOON), CALLERS
    )

    assert came == {"in": 1, CustomerRateLimited.code: CALLERS - 1}
    assert len(await rows(database, engine_messages, of=shop)) == 10


async def test_one_of_sixty_gets_in_with_the_last_ticket(database: Database, shop: Shop) -> None:
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 49, NOON)

    came = await at_once(lambda: try_to_admit(database, shop, now=NOON), CALLERS)

    assert came == {"in": 1, QuotaExhausted.code: CALLERS - 1}
    assert (await only_row(database, usage_counters, of=shop))["tickets_used"] == 50
    assert [r["threshold"] for r in await rows(database, thresholds_sent, of=shop)] == [80, 100]


async def test_one_of_sixty_gets_in_with_one_credit(database: Database, shop: Shop) -> None:
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 50, NOON)
    await bought(database, shop, 1)

    came = await at_once(lambda: try_to_admit(database, shop, now=NOON), CALLERS)

    assert came == {"in": 1, QuotaExhausted.code: CALLERS - 1}
    assert (await only_row(database, clients, of=shop))["credits_balance"] == 0
    entries = await rows(database, credit_ledger, of=shop)
    assert sorted(entry["amount"] for entry in entries) == [-1, 1]
    ticket = await only_row(database, usage_ledger, of=shop)
    assert ticket["paid_by"] == "credit"
    assert ticket["event_id"] in {entry["event_id"] for entry in entries}


async def test_credits_taken_away_meanwhile_are_never_overspent(
    database: Database, shop: Shop
) -> None:
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 50, NOON)
    await bought(database, shop, 10)

    came, taken = await asyncio.gather(
        at_once(lambda: try_to_admit(database, shop, now=NOON), 30),
        at_once(lambda: bought(database, shop, -1), 30),
    )

    assert came["in"] + taken["in"] == 10
    assert sum(e["amount"] for e in await rows(database, credit_ledger, of=shop)) == 0
    assert (await only_row(database, clients, of=shop))["credits_balance"] == 0


async def test_no_admission_comes_after_the_revocation_of_its_key(
    database: Database, shop: Shop
) -> None:
    """Fifty requests with the key and its revocation at once: each is admitted before it or
    rejected."""

    async def revoke() -> int:
        async with database.service() as connection:
            await KeyRepository(connection).revoke(shop.key_id, utc_now())
            # The account is locked until this commits, so the current rows are all from before.
            return int(
                await connection.scalar(sa.select(sa.func.count()).where(owned(engine_runs, shop)))
                or 0
            )

    came, before = await asyncio.gather(
        at_once(lambda: try_to_admit(database, shop, key_id=shop.key_id), 50), revoke()
    )

    assert came["in"] == before == len(await rows(database, engine_runs, of=shop))
    assert came["in"] + came[Unauthenticated.code] == 50
    with pytest.raises(Unauthenticated):
        await try_to_admit(database, shop, key_id=shop.key_id)
