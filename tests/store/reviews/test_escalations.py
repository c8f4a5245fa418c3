"""Reviews: their initial data, and the approvals that count."""

from datetime import UTC, datetime

import pytest

from adapters.system import new_ulid
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from domain.reviews.errors import (
    EscalationNotFound,
)
from domain.reviews.escalation import Choice, Decision
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import escalation_tickets
from tests.support.core.rows import only_row
from tests.support.reviews.reviews import open_review, refund
from tests.support.tenants.shop import Shop, open_shop

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
REPLY = PlannedAction(kind=ActionKind.REPLY)


@pytest.mark.parametrize(
    ("plan", "at_stake"),
    [
        ((), (None, None)),
        ((REPLY,), (None, None)),
        ((refund(4990), REPLY), (4990, "EUR")),
        ((refund(0), REPLY), (0, "EUR")),
        ((refund(900), refund(100_000, "JPY"), refund(950)), (100_000, "JPY")),
    ],
)
async def test_money_at_stake(
    database: Database,
    shop: Shop,
    plan: tuple[PlannedAction, ...],
    at_stake: tuple[int | None, str | None],
) -> None:
    await open_review(database, shop, plan=plan)

    row = await only_row(database, escalation_tickets, of=shop)
    assert (row["amount"], row["currency"]) == at_stake
    assert row["plan"] == [action.model_dump(mode="json") for action in plan]


async def test_one_verdict_is_enough_for_a_second_person(database: Database, shop: Shop) -> None:
    verdicts = [
        {"kind": "reply", "ruling": "allowed", "reason": None},
        {"kind": "refund", "ruling": "needs_second", "reason": "above_per_day"},
    ]
    await open_review(database, shop, plan=(refund(1), REPLY), verdicts=verdicts)
    assert (await only_row(database, escalation_tickets, of=shop))["needs_second"] is True


async def test_approvals_are_those_of_the_latest_decided_round(
    database: Database, shop: Shop
) -> None:
    first = await open_review(database, shop, needs_second=True, plan=(refund(1),), now=START)
    row = await only_row(database, escalation_tickets, of=shop)
    run_id, tenant = row["run_id"], shop.tenant

    async def agree(review_id: str, *people: str) -> int:
        async with database.tenant(tenant) as connection:
            repository = EscalationRepository(connection, tenant)
            for person in people:
                await repository.decide(review_id, Choice(Decision.APPROVE, person), START)
            return await repository.approvals(run_id)

    assert await agree(first) == 0
    assert await agree(first, "anna") == 0
    assert await agree(first, "ben") == 2
    async with database.tenant(tenant) as connection:
        event_id = new_ulid()  # not looked at
        second = new_ulid()
        await EscalationRepository(connection, tenant).open(
            RunRef(client_id=tenant, event_id=event_id, run_id=run_id),
            escalation_id=second,
            round_=1,
            reason=EscalationReason.TOOL_FAILURE,
            expires_at=START,
            now=START,
        )
    assert await agree(second) == 2, "the round that is open counts for nothing"
    async with database.tenant(tenant) as connection:
        repository = EscalationRepository(connection, tenant)
        await repository.decide(second, Choice(Decision.REJECT, "anna"), START)
        assert await repository.approvals(run_id) == 0


async def test_another_clients_escalation_is_none(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    theirs = await open_review(database, other)
    for tenant in (shop.tenant, TenantId("")):
        with pytest.raises(EscalationNotFound):
            async with database.service() as connection:
                await EscalationRepository(connection, tenant).decide(
                    theirs, Choice(Decision.REJECT, "anna"), START
                )
    assert (await only_row(database, escalation_tickets, id=theirs))["status"] == "pending"
