"""The agent's work during a member's absence."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.core.money import Money
from domain.dashboard.home import AwayReport, MemberVisit
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.dashboard.home import report_away, visit_home
from store.core.database import Database
from store.dashboard import away
from store.dashboard.tables import home_visits
from store.runs.tables import action_ledger, engine_runs
from tests.support.analytics.days import past_event
from tests.support.core.rows import only_row, rows
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop, open_shop

ANNA = Actor.person("anna", Role.AGENT)
NOW = utc_now()
BEFORE = NOW - timedelta(hours=3)
SINCE = NOW - timedelta(hours=2)


async def _report(database: Database, shop: Shop) -> AwayReport:
    async with database.reading(shop.tenant) as connection:
        visit = MemberVisit(NOW, SINCE)
        found = await report_away(connection, shop.tenant, ANNA, visit, NOW)
    assert found is not None
    return found


async def _refund(
    database: Database, shop: Shop, minor: int, *, currency: str = "EUR", **values: object
) -> None:
    at = values.pop("at", NOW - timedelta(minutes=9))
    event_id = await past_event(database, shop, BEFORE, response="x")
    run = await only_row(database, engine_runs, event_id=event_id)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(action_ledger).values(
                **{
                    "client_id": shop.client_id,
                    "id": new_ulid(),
                    "run_id": run["id"],
                    "step": 0,
                    "round": 0,
                    "action": "refund",
                    "state": "done",
                    "detail": "",
                    "order_key": "demo_shop/1",
                    "amount": minor,
                    "currency": currency,
                    "planned_at": at,
                    **values,
                }
            )
        )


async def test_tickets_are_counted_by_their_outcome(database: Database, shop: Shop) -> None:
    stranger = await open_shop(database)
    for owner, status, run in (
        (shop, "completed", {"response": "Yes."}),
        (shop, "completed", {"response": "", "plan": [{"kind": "tag"}]}),
        (shop, "completed", {"response": ""}),  # an automatic email
        (shop, "completed", {"response": "x", "joined_review": "r"}),
        (shop, "completed", {"response": "x", "handoff_reason": "low_confidence"}),
        (shop, "needs_review", {"handoff_reason": "low_confidence"}),
        (shop, "failed", {}),
        (stranger, "completed", {"response": "x"}),
    ):
        await past_event(database, owner, NOW - timedelta(minutes=5), status=status, **run)
    await past_event(database, shop, BEFORE, response="x")

    found = await _report(database, shop)

    assert (found.answered, found.escalated, found.failed) == (2, 2, 1)
    assert not found.is_partial
    assert found.since == SINCE


async def test_refunds_are_summed_by_currency(database: Database, shop: Shop) -> None:
    assert (await _report(database, shop)).is_quiet
    await _refund(database, shop, 4900)
    await _refund(database, shop, 100)
    await _refund(database, shop, 2000, currency="USD")
    await _refund(database, shop, 1, at=BEFORE)
    for state in ("planned", "failed", "unknown"):
        await _refund(database, shop, 1, state=state)
    await _refund(database, shop, 1, action="cancel_order")
    await _refund(database, await open_shop(database), 1)

    found = await _report(database, shop)

    assert found.refunds == 3
    assert found.refunded == (
        Money(minor=5000, currency="EUR"),
        Money(minor=2000, currency="USD"),
    )


async def test_more_than_is_examined_is_said(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away, "EXAMINED", 1)
    for _ in range(3):
        await past_event(database, shop, NOW - timedelta(minutes=1), response="x")

    assert (await _report(database, shop)).is_partial


async def test_a_visit_is_stored_once_and_again_after_a_pause(
    database: Database, shop: Shop
) -> None:
    units = units_on(database, Recorder())
    async with units.of(shop.tenant) as work:
        first = await visit_home(work, ANNA)
    async with units.of(shop.tenant) as work:
        assert await visit_home(work, ANNA) == first
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(home_visits).values(seen_at=home_visits.c.seen_at - timedelta(hours=8))
        )
    async with units.of(shop.tenant) as work:
        second = await visit_home(work, ANNA)
    assert second.away_since == first.seen_at - timedelta(hours=8)
    row = await only_row(database, home_visits, client_id=shop.client_id)
    assert (row["seen_at"], row["away_since"]) == (second.seen_at, second.away_since)

    async with units.of((await open_shop(database)).tenant) as work:
        assert (await visit_home(work, ANNA)).away_since is None, "each shop has its own"
    assert len(await rows(database, home_visits, user_id=ANNA.name)) == 2


async def test_keys_have_no_visits(database: Database, shop: Shop) -> None:
    async with units_on(database, Recorder()).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await visit_home(work, Actor.key("k"))
