"""The action ledger: each step is started once, and amounts are counted exactly."""

import asyncio
from datetime import datetime, timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.agent.policy_context import Spent
from domain.core.money import Money
from store.core.database import Database
from store.runs.action_ledger import ActionLedger, Effect, LedgerClaim, LedgerPlace
from tests.support.intake.admission import admit_event
from tests.support.tenants.shop import Shop

CUSTOMER = "lea@example.com"


async def test_of_twenty_one_does_a_step(database: Database, shop: Shop) -> None:
    """The others learn that it was started, but not its outcome."""
    place = await _place(database, shop)

    begun = await asyncio.gather(*(_begin(database, shop, place) for _ in range(20)))

    assert begun.count(LedgerClaim()) == 1
    assert begun.count(LedgerClaim(again=True, interrupted=True)) == 19


@pytest.mark.parametrize("state", [StepState.DONE, StepState.FAILED, StepState.UNKNOWN])
async def test_outcome_is_remembered(database: Database, shop: Shop, state: StepState) -> None:
    place = await _place(database, shop)
    await _begin(database, shop, place)
    await _finish(database, shop, place, state)

    again = await _begin(database, shop, place)
    later = await _begin(database, shop, LedgerPlace(place.run_id, 0, 1))

    assert isinstance(again, StepOutcome)
    assert again.state is state
    match state:
        case StepState.DONE:
            assert isinstance(later, StepOutcome)
            assert later.state is StepState.DONE
        case StepState.UNKNOWN:
            assert later == LedgerClaim(again=True)
        case _:
            assert later == LedgerClaim()


async def test_what_was_done_in_one_round_is_done_in_all(database: Database, shop: Shop) -> None:
    place = await _place(database, shop)
    await _begin(database, shop, place)
    await _finish(database, shop, place, StepState.UNKNOWN)
    second = LedgerPlace(place.run_id, 0, 1)
    await _begin(database, shop, second)
    await _finish(database, shop, second, StepState.DONE)

    async with database.tenant(shop.tenant) as connection:
        settled = await ActionLedger(connection, shop.tenant).settled(place)

    assert settled is not None
    assert settled.state is StepState.DONE


async def test_a_claim_is_given_back(database: Database, shop: Shop) -> None:
    place = await _place(database, shop)
    entry_id = new_ulid()
    await _begin(database, shop, place, entry_id=entry_id)
    async with database.tenant(shop.tenant) as connection:
        await ActionLedger(connection, shop.tenant).release(place, entry_id)

    assert await _begin(database, shop, place) == LedgerClaim()


async def test_a_claim_that_another_took_over_is_not_given_back(
    database: Database, shop: Shop
) -> None:
    """An attempt that Temporal timed out learns late that its request failed, while the next
    attempt runs."""
    place = await _place(database, shop)
    first, second = new_ulid(), new_ulid()
    await _begin(database, shop, place, entry_id=first)
    await _begin(database, shop, place, entry_id=second)
    async with database.tenant(shop.tenant) as connection:
        await ActionLedger(connection, shop.tenant).release(place, first)
    await _finish(database, shop, place, StepState.UNKNOWN)

    assert await _begin(database, shop, LedgerPlace(place.run_id, 0, 1)) == LedgerClaim(again=True)


async def test_what_is_done_stays_done(database: Database, shop: Shop) -> None:
    """A late record from a timed-out attempt changes nothing."""
    place = await _place(database, shop)
    await _begin(database, shop, place)
    await _finish(database, shop, place, StepState.DONE)
    await _finish(database, shop, place, StepState.UNKNOWN)

    again = await _begin(database, shop, place)

    assert isinstance(again, StepOutcome)
    assert again.state is StepState.DONE


async def test_money_is_counted_by_customer_day_and_order(database: Database, shop: Shop) -> None:
    """Each step once, in any round; failed steps, other currencies and the current step do not
    count."""
    now = utc_now().replace(hour=12)
    effects = [
        (_refund("demo_shop/1", 1000), now, StepState.DONE),
        (_refund("demo_shop/2", 300, customer="other@example.com"), now, None),
        (_refund("demo_shop/3", 70), now - timedelta(days=1), StepState.UNKNOWN),
        (_refund("demo_shop/4", 5), now - timedelta(days=31), StepState.DONE),
        (_refund("demo_shop/5", 9_000), now, StepState.FAILED),
        (_refund("demo_shop/6", 9_000, currency="USD"), now, StepState.DONE),
    ]
    for effect, at, state in effects:
        place = await _place(database, shop)
        await _begin(database, shop, place, effect=effect, now=at)
        if state is not None:
            await _finish(database, shop, place, state)
    mine = await _place(database, shop)
    await _begin(database, shop, mine, effect=_refund("demo_shop/7", 50_000), now=now)

    assert await _spent(database, shop, "demo_shop/4", mine, now) == Spent(
        customer=1070, day=1300, on_order=frozenset({ActionKind.REFUND})
    )
    assert (await _spent(database, shop, "demo_shop/5", mine, now)).on_order == frozenset()


async def test_a_step_of_several_rounds_counts_once(database: Database, shop: Shop) -> None:
    first = await _place(database, shop)
    for round_ in (0, 1):
        place = LedgerPlace(first.run_id, 0, round_)
        await _begin(database, shop, place, effect=_refund("demo_shop/1", 500))
        await _finish(database, shop, place, StepState.UNKNOWN)

    spent = await _spent(database, shop, "demo_shop/1", await _place(database, shop), utc_now())

    assert spent.customer == 500


def _refund(
    order_key: str, minor: int, *, customer: str = CUSTOMER, currency: str = "EUR"
) -> Effect:
    amount = Money(minor=minor, currency=currency)
    return Effect(ActionKind.REFUND, "integration", order_key, customer, amount)


async def test_what_was_begun_in_a_run_is_known(database: Database, shop: Shop) -> None:
    """In plan order, for any round; unfinished steps are unknown."""
    run_id = (await _place(database, shop)).run_id
    for step, state in enumerate((StepState.DONE, StepState.FAILED, None)):
        place = LedgerPlace(run_id, step, 0)
        await _begin(database, shop, place)
        if state is not None:
            await _finish(database, shop, place, state)
    await _begin(database, shop, LedgerPlace(run_id, 1, 1))

    async with database.tenant(shop.tenant) as connection:
        found = await ActionLedger(connection, shop.tenant).outcomes(run_id)

    assert [(step.state, step.detail) for step in found] == [
        (StepState.DONE, ""),
        (StepState.UNKNOWN, ""),
        (StepState.UNKNOWN, ""),
    ]


async def _place(database: Database, shop: Shop) -> LedgerPlace:
    return LedgerPlace((await admit_event(database, shop)).ref.run_id, 0, 0)


async def _begin(
    database: Database,
    shop: Shop,
    place: LedgerPlace,
    *,
    effect: Effect | None = None,
    entry_id: str | None = None,
    now: datetime | None = None,
) -> StepOutcome | LedgerClaim:
    async with database.tenant(shop.tenant) as connection:
        return await ActionLedger(connection, shop.tenant).begin(
            place,
            effect or Effect(ActionKind.REPLY_BY_EMAIL),
            entry_id=entry_id or new_ulid(),
            now=now or utc_now(),
        )


async def _finish(database: Database, shop: Shop, place: LedgerPlace, state: StepState) -> None:
    outcome = StepOutcome(kind=ActionKind.REPLY, state=state, detail="code")
    async with database.tenant(shop.tenant) as connection:
        await ActionLedger(connection, shop.tenant).finish(
            place, outcome, reference="", now=utc_now()
        )


async def _spent(
    database: Database, shop: Shop, order_key: str, asker: LedgerPlace, now: datetime
) -> Spent:
    async with database.tenant(shop.tenant) as connection:
        return await ActionLedger(connection, shop.tenant).spent(
            order_key=order_key,
            customer=[CUSTOMER],
            currency="EUR",
            not_by=asker.run_id,
            now=now,
        )
