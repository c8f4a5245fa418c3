"""Limits, quota and credits at admission, and the order of their checks."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from pydantic import JsonValue

from adapters.system import new_ulid
from domain.billing.errors import QuotaExhausted
from domain.billing.quota import PaidBy, QuotaStanding
from domain.core.period import period_of
from domain.intake.errors import ClientRateLimited, CustomerRateLimited
from domain.tenants.client import Plan
from domain.tenants.errors import Unauthenticated
from services.intake.admission import Unmatched
from store.billing.tables import thresholds_sent, usage_counters, usage_ledger
from store.billing.usage_ledger import UsageLedger
from store.core.database import Database
from store.intake.idempotency import IdempotencyKey
from store.runs.tables import engine_messages
from store.tenants.tables import clients
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.intake.admission import (
    admit_event,
    at_once,
    bought,
    on_plan,
    sent_before,
    try_to_admit,
    used_before,
)
from tests.support.tenants.shop import Shop, open_shop

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def test_a_refused_message_leaves_nothing(database: Database, shop: Shop) -> None:
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 50, NOON)
    before = await row_counts(database, of=shop)

    for _ in range(3):
        with pytest.raises(QuotaExhausted) as refused:
            await try_to_admit(
                database, shop, now=NOON, idempotency=IdempotencyKey("key", b"digest")
            )

    assert refused.value.standing == QuotaStanding(period_of(NOON), 50, 50, 0)
    assert await row_counts(database, of=shop) == before


@pytest.mark.parametrize(
    ("age", "code"),
    [
        (timedelta(minutes=9, seconds=59.999), CustomerRateLimited.code),
        (timedelta(minutes=10), None),
        (-timedelta(minutes=5), CustomerRateLimited.code),  # another machine's clock is ahead
    ],
)
async def test_the_customers_window_slides(
    database: Database, shop: Shop, age: timedelta, code: str | None
) -> None:
    await sent_before(database, shop, 10, customer="a@b.example", at=NOON - age)

    came = await at_once(
        lambda: try_to_admit(database, shop, customer_email="a@b.example", now=NOON), 1
    )

    assert came == {code or "in": 1}


@pytest.mark.parametrize(
    ("age", "refused"), [(timedelta(minutes=59, seconds=59), True), (timedelta(hours=1), False)]
)
async def test_the_clients_window_slides(
    database: Database, shop: Shop, age: timedelta, refused: bool
) -> None:
    await sent_before(database, shop, 200, at=NOON - age)

    came = await at_once(lambda: try_to_admit(database, shop, now=NOON), 1)

    assert came == {ClientRateLimited.code if refused else "in": 1}


async def test_the_wait_is_until_the_oldest_leaves(database: Database, shop: Shop) -> None:
    await sent_before(database, shop, 1, customer="a", at=NOON - timedelta(minutes=8))
    await sent_before(database, shop, 9, customer="a", at=NOON - timedelta(minutes=1))

    with pytest.raises(CustomerRateLimited) as refused:
        await try_to_admit(database, shop, customer_email="a", now=NOON)

    assert refused.value.retry_after_s == 120
    soon = NOON + timedelta(seconds=120)
    await try_to_admit(database, shop, customer_email="a", now=soon)


async def test_other_customers_and_clients_are_not_counted(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    await sent_before(database, shop, 10, customer="a@b.example", at=NOON)
    await sent_before(database, other, 200, at=NOON)

    await try_to_admit(database, shop, customer_email="c@b.example", now=NOON)
    await try_to_admit(database, shop, now=NOON)


async def test_a_mail_counts_for_its_sender(database: Database, shop: Shop) -> None:
    """Under any name and spelling, and for the customer whom the caller names instead."""
    await sent_before(database, shop, 9, customer="eve@b.example", claimed=True, at=NOON)

    async def comes(sender: str, named: str | None = None) -> None:
        payload: dict[str, JsonValue] = {"from": sender, "to": "help@shop.example"}
        await try_to_admit(
            database, shop, event_type="email.x", customer_email=named, payload=payload, now=NOON
        )

    await comes("Eve <Eve@B.example>")
    with pytest.raises(CustomerRateLimited) as refused:
        await comes('"Somebody Else" <eve@b.example>')
    assert refused.value.customer_email == "eve@b.example"
    await comes("Ann <ann@b.example>")
    await comes("Eve <eve@b.example>", "ann@b.example")
    # The person who filled in the form.
    for _ in range(11):
        await comes("Shop <mailer@shopify.com>")


async def test_replies_are_not_counted(database: Database, shop: Shop) -> None:
    await sent_before(database, shop, 9, customer="a", at=NOON)
    async with database.service() as connection:
        await connection.execute(
            sa.insert(engine_messages).from_select(
                ["client_id", "id", "event_id", "direction", "customer_key", "author", "body",
                 "created_at"],
                sa.select(
                    engine_messages.c.client_id,
                    sa.func.concat("R", engine_messages.c.id),
                    engine_messages.c.event_id,
                    sa.literal("outbound"),
                    engine_messages.c.customer_key,
                    sa.literal("agent"),
                    sa.literal(""),
                    engine_messages.c.created_at,
                ).where(engine_messages.c.client_id == shop.client_id),
            )
        )  # fmt: skip

    await try_to_admit(database, shop, customer_email="a", now=NOON)


async def test_refusals_come_in_their_order(database: Database, shop: Shop) -> None:
    """Customer, client, quota, and then the playbook."""
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 50, NOON)
    with pytest.raises(QuotaExhausted):
        await try_to_admit(database, shop, event_type="nobody wants it", now=NOON)
    await sent_before(database, shop, 200, customer="a", at=NOON)
    with pytest.raises(ClientRateLimited):
        await try_to_admit(database, shop, customer_email="b", now=NOON)
    with pytest.raises(CustomerRateLimited):
        await try_to_admit(database, shop, customer_email="a", now=NOON)


async def test_what_no_playbook_wants_costs_no_ticket(database: Database) -> None:
    shop = await open_shop(database, event_type="shopify.*")

    assert isinstance(await try_to_admit(database, shop, event_type="voice.call"), Unmatched)

    assert (
        await rows(database, usage_counters, of=shop)
        == await rows(database, usage_ledger, of=shop)
        == []
    )
    assert len(await rows(database, engine_messages, of=shop)) == 1


async def test_a_repetition_is_answered_beyond_every_limit(database: Database, shop: Shop) -> None:
    key = IdempotencyKey("key", b"digest")
    await on_plan(database, shop, Plan.FREE)
    await try_to_admit(database, shop, customer_email="a", now=NOON, idempotency=key)
    await sent_before(database, shop, 200, customer="a", at=NOON)
    before = await row_counts(database, of=shop)

    await try_to_admit(database, shop, customer_email="a", now=NOON, idempotency=key)

    assert await row_counts(database, of=shop) == before


async def test_a_charge_counts_once_however_often_it_is_tried(
    database: Database, shop: Shop
) -> None:
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 50, NOON)
    await bought(database, shop, 5)
    admitted = await try_to_admit(database, shop, now=NOON)

    async def again() -> None:
        async with database.tenant(shop.tenant) as connection:
            await UsageLedger(connection, shop.tenant).charge(
                admitted.event_id,
                QuotaStanding(period_of(NOON), 51, 50, 4),
                PaidBy.CREDIT,
                entry_id=new_ulid(),
                now=NOON,
            )

    assert await at_once(again, 20) == {"in": 20}
    assert (await only_row(database, usage_counters, of=shop))["tickets_used"] == 51
    assert (await only_row(database, clients, of=shop))["credits_balance"] == 4


@pytest.mark.parametrize(
    ("before", "after", "months"),
    [
        ("2026-12-31T23:59:59.999999Z", "2027-01-01T00:00:00Z", ["2026-12", "2027-01"]),
        ("2028-02-29T23:59:59Z", "2028-03-01T00:00:00Z", ["2028-02", "2028-03"]),
        ("2028-02-28T23:59:59Z", "2028-02-29T00:00:00Z", ["2028-02"]),
    ],
)
async def test_a_ticket_counts_in_the_month_of_its_admission(
    database: Database, shop: Shop, before: str, after: str, months: list[str]
) -> None:
    """A full month is followed by an empty one, without a schedule."""
    await on_plan(database, shop, Plan.FREE)
    last, first = datetime.fromisoformat(before), datetime.fromisoformat(after)
    await used_before(database, shop, 48 if len(months) == 1 else 49, last)
    await try_to_admit(database, shop, now=last)

    await try_to_admit(database, shop, now=first)

    counters = await rows(database, usage_counters, of=shop)
    assert {row["period"]: row["tickets_used"] for row in counters} == (
        {months[0]: 50, months[1]: 1} if len(months) == 2 else {months[0]: 50}
    )


async def test_a_trial_has_pros_quota_until_it_ends(database: Database, shop: Shop) -> None:
    await on_plan(database, shop, Plan.FREE, trial_ends_at=NOON)
    await used_before(database, shop, 300, NOON)

    await try_to_admit(database, shop, now=NOON - timedelta(seconds=1))
    with pytest.raises(QuotaExhausted) as refused:
        await try_to_admit(database, shop, now=NOON)

    assert refused.value.standing.tickets_limit == 50


async def test_thresholds_are_noted_once_a_month_whatever_the_plan(
    database: Database, shop: Shop
) -> None:
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 39, NOON)
    await try_to_admit(database, shop, now=NOON)
    first = await only_row(database, thresholds_sent, of=shop)
    assert (first["threshold"], first["tickets_used"], first["tickets_limit"]) == (80, 40, 50)

    await on_plan(database, shop, Plan.STARTER)
    async with database.service() as connection:
        await connection.execute(
            sa.update(usage_counters)
            .where(usage_counters.c.client_id == shop.client_id)
            .values(tickets_used=799)
        )
    await try_to_admit(database, shop, now=NOON)

    assert await rows(database, thresholds_sent, of=shop) == [first], "80 % was told this month"
    next_month = NOON + timedelta(days=31)
    await used_before(database, shop, 999, next_month)
    await try_to_admit(database, shop, now=next_month)
    noted = {
        (row["period"], row["threshold"]) for row in await rows(database, thresholds_sent, of=shop)
    }
    assert noted == {("2026-11", 80), ("2026-12", 80), ("2026-12", 100)}


async def test_enterprise_has_no_quota_and_no_threshold(database: Database, shop: Shop) -> None:
    await on_plan(database, shop, Plan.ENTERPRISE)
    await used_before(database, shop, 10**6, NOON)

    await try_to_admit(database, shop, now=NOON)

    assert (await only_row(database, usage_counters, of=shop))["tickets_used"] == 10**6 + 1
    assert await rows(database, thresholds_sent, of=shop) == []


async def test_another_clients_key_is_no_key(database: Database, shop: Shop) -> None:
    other = await open_shop(database)

    with pytest.raises(Unauthenticated):
        await try_to_admit(database, shop, key_id=other.key_id)


async def test_counter_and_ledger_agree(database: Database, shop: Shop) -> None:
    for _ in range(3):
        await admit_event(database, shop)

    assert (await only_row(database, usage_counters, of=shop))["tickets_used"] == 3
    assert len(await rows(database, usage_ledger, of=shop)) == 3
