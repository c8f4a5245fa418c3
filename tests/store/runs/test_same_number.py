"""The action ledger finds an action on an order with the same number at another provider."""

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind
from domain.agent.policy_context import CUSTOMER_WINDOW
from domain.core.money import Money
from domain.integrations.order import Lookup
from domain.integrations.providers import Provider
from store.core.database import Database
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import engine_runs
from tests.support.agent.policy_context import an_order
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

BUYER = "lea@example.com"


async def _done(
    database: Database,
    shop: Shop,
    number: str,
    *,
    at: datetime,
    kind: ActionKind,
    is_kept: bool = True,
) -> None:
    """Store a run that acted on the order with this number at Shopify. Without `is_kept`, the row
    in the action ledger is that of an earlier version."""
    run = await write(database, shop, customer=BUYER, key=f"email:{BUYER}")
    order = an_order().model_copy(
        update={"provider": Provider.SHOPIFY, "id": "gid-7", "number": number}
    )
    lookup = Lookup.of(order, number, order.customer_email).model_dump(mode="json")
    effect = Effect(
        kind,
        "shop",
        order.key,
        customer_key=BUYER,
        amount=Money(minor=4_900, currency="EUR"),
        order_number=order.folded_number if is_kept else None,
    )
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == run.run_id).values(lookup=lookup)
        )
        ledger, place = ActionLedger(connection, shop.tenant), LedgerPlace(run.run_id, 0, 0)
        await ledger.record(place, effect, entry_id=new_ulid(), now=at)


async def _is_same(database: Database, shop: Shop, number: str, key: str = "stripe/pi_1") -> bool:
    async with database.tenant(shop.tenant) as connection:
        spent = await ActionLedger(connection, shop.tenant).spent(
            order_key=key, order_number=number, customer=["other@x.example"], currency="EUR",
            not_by="another", now=utc_now(),
        )  # fmt: skip
    return spent.same_number


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("kind", [ActionKind.REFUND, ActionKind.CANCEL_ORDER])
async def test_the_number_of_an_order_at_another_provider(
    database: Database, shop: Shop, kind: ActionKind, is_kept: bool
) -> None:
    """Attack: a customer is refunded by the shop, and asks again so that the agent finds the same
    purchase at the payment provider."""
    await _done(database, shop, "#A-1042", at=utc_now(), kind=kind, is_kept=is_kept)

    numbers = ("a-1042", "#A-1042 ", "A-1043", "")
    same = [await _is_same(database, shop, number) for number in numbers]
    assert same == [True, True, False, False]
    # An action on this very order is in `on_order`.
    assert not await _is_same(database, shop, "A-1042", "shopify/gid-7")
    assert not await _is_same(database, await open_shop(database), "A-1042")


async def test_an_old_action_does_not_count(database: Database, shop: Shop) -> None:
    long_ago = utc_now() - CUSTOMER_WINDOW - timedelta(days=1)
    await _done(database, shop, "1042", at=long_ago, kind=ActionKind.REFUND)
    assert not await _is_same(database, shop, "1042")
