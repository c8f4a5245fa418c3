"""The limit of refunds to one customer outlives the customer's erasure."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.privacy.erase_customer import CustomerErasure
from activities.privacy.prune import Prune
from activities.runs.claim import Job, claim
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome
from domain.agent.policy_context import CUSTOMER_WINDOW
from domain.agent.policy_decision import PolicyReason
from domain.core.money import Money
from domain.core.ports import Sealer
from domain.privacy.contracts import HousekeepingInput
from domain.privacy.erased_customer import is_pseudonym, refunded_as
from store.core.database import Database
from store.privacy import prune
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.cases import CaseRepository
from store.runs.tables import action_ledger
from tests.support.agent.policy_context import FREE_HAND, an_event, an_order
from tests.support.core.rows import only_row, rows
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

KEY = "ann@x.example"


async def refunded(
    database: Database, shop: Shop, at: datetime, kind: ActionKind = ActionKind.REFUND
) -> str:
    """A refund of 49 EUR to the customer, or another action on order 1042; its run's id."""
    run = await write(database, shop, customer=KEY, key=f"email:{KEY}")
    is_refund = kind is ActionKind.REFUND
    effect = Effect(
        kind,
        "shop",
        f"shop/{new_ulid()}",
        customer_key=KEY,
        amount=Money(minor=4900, currency="EUR") if is_refund else None,
        order_number="1042",
    )
    async with database.tenant(shop.tenant) as connection:
        ledger = ActionLedger(connection, shop.tenant)
        place = LedgerPlace(run.run_id, 0, 0)
        await ledger.record(place, effect, entry_id=new_ulid(), now=at)
    return run.run_id


async def erase(database: Database, shop: Shop, sealer: Sealer) -> None:
    erasure = CustomerErasure(
        database, shop.tenant, KEY, erasure_id=new_ulid(), mark=utc_now(),
        sealer=sealer, now=utc_now,
    )  # fmt: skip
    await erasure.mark()
    await erasure.remove_rows()


async def spent(database: Database, shop: Shop, sealer: Sealer, email: str = KEY) -> int:
    async with database.tenant(shop.tenant) as connection:
        found = await ActionLedger(connection, shop.tenant).spent(
            order_key="another", customer=refunded_as(sealer, shop.tenant, email), currency="EUR",
            not_by="another", now=utc_now(),
        )  # fmt: skip
    return found.customer


async def is_same_number(database: Database, shop: Shop) -> bool:
    async with database.tenant(shop.tenant) as connection:
        found = await ActionLedger(connection, shop.tenant).spent(
            order_key="another", order_number="#1042", customer=[], currency="EUR",
            not_by="another", now=utc_now(),
        )  # fmt: skip
    return found.same_number


async def test_an_erased_customers_refunds_still_count(database: Database, shop: Shop) -> None:
    """After an erasure, the same person was refunded up to the limit again."""
    sealer, other = FernetSealer(new_seal_key()), await open_shop(database)
    run_id = await refunded(database, shop, utc_now())
    await refunded(database, other, utc_now())

    for _ in range(2):  # they come back, and are erased again
        await erase(database, shop, sealer)
        assert await spent(database, shop, sealer) == 4900
        assert await spent(database, shop, sealer, "bob@x.example") == 0
    row = await only_row(database, action_ledger, run_id=run_id)
    assert KEY not in row["customer_key"]
    assert await spent(database, shop, FernetSealer(new_seal_key())) == 0
    assert await spent(database, other, sealer) == 4900


@pytest.mark.parametrize("kind", [ActionKind.REFUND, ActionKind.CANCEL_ORDER])
async def test_the_number_of_the_order_still_counts(
    database: Database, shop: Shop, kind: ActionKind
) -> None:
    """Attack: a customer is refunded by the shop, has the data erased, and asks again so that the
    agent finds the same purchase at the payment provider."""
    sealer = FernetSealer(new_seal_key())
    await refunded(database, shop, utc_now(), kind)
    assert await is_same_number(database, shop)
    await erase(database, shop, sealer)
    assert await is_same_number(database, shop)
    activity = Prune(database, lambda: utc_now() + CUSTOMER_WINDOW).prune
    await ActivityEnvironment().run(activity, HousekeepingInput())
    (row,) = await rows(database, action_ledger, of=shop)
    assert (row["customer_key"], row["order_number"]) == (None, None)


@pytest.mark.parametrize("kind", [ActionKind.REFUND, ActionKind.CANCEL_ORDER])
async def test_an_action_that_counts_no_more_keeps_nothing(
    database: Database, shop: Shop, kind: ActionKind
) -> None:
    sealer = FernetSealer(new_seal_key())
    run_id = await refunded(database, shop, utc_now() - timedelta(days=31), kind)
    await erase(database, shop, sealer)
    row = await only_row(database, action_ledger, run_id=run_id)
    assert (row["customer_key"], row["order_number"]) == (None, None)


async def test_a_pseudonym_goes_with_the_window_that_it_counts_in(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address and the key would otherwise name the customer forever."""
    monkeypatch.setattr(prune, "_BATCH", 1)
    sealer, now = FernetSealer(new_seal_key()), utc_now()
    old = [await refunded(database, shop, now - timedelta(days=1, hours=n)) for n in (1, 2)]
    young = await refunded(database, shop, now)
    await erase(database, shop, sealer)
    kept = await refunded(database, shop, now - timedelta(days=2))  # they come back
    activity = Prune(database, lambda: now + timedelta(days=29)).prune
    await ActivityEnvironment().run(activity, HousekeepingInput())

    customers = {
        row["run_id"]: row["customer_key"] for row in await rows(database, action_ledger, of=shop)
    }
    assert [customers[run_id] for run_id in old] == [None, None]
    assert is_pseudonym(customers[young])
    assert customers[kept] == KEY
    assert timedelta(seconds=HousekeepingInput().erased_customers_s) == CUSTOMER_WINDOW


async def test_pseudonyms_of_two_clients_differ(database: Database, shop: Shop) -> None:
    sealer, other = FernetSealer(new_seal_key()), await open_shop(database)
    found = set()
    for one in (shop, other):
        run_id = await refunded(database, one, utc_now())
        await erase(database, one, sealer)
        found.add((await only_row(database, action_ledger, run_id=run_id))["customer_key"])
    assert len(found) == 2


async def test_a_step_above_the_limit_is_not_claimed_after_the_erasure(
    database: Database, shop: Shop
) -> None:
    """100 EUR a customer, of which 98 were refunded before: approved once, 49.90 are too much."""
    sealer = FernetSealer(new_seal_key())
    for _ in range(2):
        await refunded(database, shop, utc_now())
    await erase(database, shop, sealer)
    again = await write(database, shop, customer=KEY, key=f"email:{KEY}")
    async with database.tenant(shop.tenant) as connection:
        case = await CaseRepository(connection, shop.tenant).read(again.run_id)
    order = an_order(owner=KEY)
    action = PlannedAction(
        kind=ActionKind.REFUND,
        integration_id=order.integration_id,
        order_id=order.id,
        amount=order.refundable,
    )
    case = replace(case, rulebook=FREE_HAND, event=an_event(email=KEY), approvals=1)

    claimed = await claim(
        database, Job(shop.tenant, again.run_id, 0, case, {}), action, 0,
        integration=None, order=order, entry_id=new_ulid(), now=utc_now, sealer=sealer,
    )  # fmt: skip

    assert claimed == StepOutcome.blocked(action.kind, PolicyReason.ABOVE_PER_CUSTOMER)
