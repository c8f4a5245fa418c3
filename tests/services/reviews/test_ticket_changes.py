"""Changes to several tickets at once: mixed selections, all or none, and who may make them."""

from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from adapters.system import new_ulid, utc_now
from domain.core.errors import InvalidInput
from domain.reviews.errors import EscalationClaimed, EscalationDecided, EscalationNotFound
from domain.reviews.escalation import MAX_NOTE
from domain.runs.errors import ConversationNotFound, InvalidTriage, NoReviewToReject
from domain.runs.ticket_change import ChangedTickets, TicketAction, TicketChange, TicketSelection
from domain.runs.triage import MAX_AT_ONCE
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.reviews.claims import claim_review
from services.reviews.ticket_changes import change_tickets
from store.core.database import Database
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.reviews.conversations import converse
from tests.support.reviews.conversations import write as write_into
from tests.support.reviews.replies import ANNA, BEN
from tests.support.reviews.reviews import open_review
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop

REJECT = TicketChange(TicketAction.REJECT, note="Non")

# Test ids contain the time, so every process must collect the same one.
PAST = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def members(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        for one in (ANNA, BEN):
            await join(connection, shop.client_id, one.name, Role.AGENT)


async def change(
    database: Database,
    shop: Shop,
    action: TicketChange,
    *,
    reviews: tuple[str, ...] = (),
    talks: tuple[str, ...] = (),
    actor: Actor = ANNA,
) -> ChangedTickets:
    async with units_on(database).of(shop.tenant) as work:
        return await change_tickets(work, actor, TicketSelection.of(reviews, talks), action)


async def status_of(database: Database, review_id: str) -> str:
    return str((await only_row(database, escalation_tickets, id=review_id))["status"])


async def test_each_action_applies_to_reviews_and_conversations(
    database: Database, shop: Shop, members: None
) -> None:
    review = await open_review(database, shop)
    reviewed, talk = await converse(database, shop, review), await converse(database, shop)

    async def changed(action: TicketChange) -> ChangedTickets:
        return await change(database, shop, action, reviews=(review,), talks=(talk,))

    async def both_rows() -> list[dict[str, object]]:
        return [await only_row(database, ai_conversations, id=one) for one in (reviewed, talk)]

    until = utc_now() + timedelta(days=3)
    for action, to_decide in (
        (TicketChange(TicketAction.ASSIGN, assignee=BEN.name), 1),
        (TicketChange(TicketAction.SNOOZE, until=until), 1),
        (TicketChange(TicketAction.CLOSE), 1),
    ):
        assert await changed(action) == ChangedTickets(2, to_decide)
    for row in await both_rows():
        assert row["assignee"] == BEN.name
        assert row["closed_at"] is not None
    await changed(TicketChange(TicketAction.REOPEN))
    assert [row["closed_at"] for row in await both_rows()] == [None, None]

    await changed(TicketChange(TicketAction.CLAIM))
    assert await status_of(database, review) == "claimed"
    assert [row["assignee"] for row in await both_rows()] == [BEN.name, ANNA.name]
    await changed(TicketChange(TicketAction.RELEASE))
    assert await status_of(database, review) == "pending"
    assert [row["assignee"] for row in await both_rows()] == [BEN.name, None]


async def test_a_ticket_named_by_its_conversation_is_the_same_ticket(
    database: Database, shop: Shop, members: None
) -> None:
    one, other = [await open_review(database, shop) for _ in range(2)]
    talk = await converse(database, shop, one, other)
    await change(database, shop, TicketChange(TicketAction.CLAIM), talks=(talk,))
    assert await status_of(database, one) == await status_of(database, other) == "claimed"
    with capture_logs() as logs:
        done = await change(database, shop, REJECT, talks=(talk,))
    assert done == ChangedTickets(1, 0)
    decided = [it["review_id"] for it in logs if it["event"] == "review decided"]
    assert sorted(decided) == sorted([one, other])
    assert (await only_row(database, escalation_tickets, id=one))["note"] == "Non"


async def test_all_or_none(database: Database, shop: Shop, members: None) -> None:
    mine, theirs = [await open_review(database, shop) for _ in range(2)]
    talk = await converse(database, shop)
    await write_into(database, shop, talk, status="failed")
    async with units_on(database).of(shop.tenant) as work:
        await claim_review(work, BEN, theirs)
    for action in (REJECT, TicketChange(TicketAction.CLAIM)):
        with pytest.raises(EscalationClaimed):
            await change(database, shop, action, reviews=(mine, theirs))
    with pytest.raises(NoReviewToReject):
        await change(database, shop, REJECT, reviews=(mine,), talks=(talk,))
    with pytest.raises(ConversationNotFound):
        await change(database, shop, TicketChange(TicketAction.CLOSE), talks=(talk, new_ulid()))
    long = TicketChange(TicketAction.REJECT, note="x" * (MAX_NOTE + 1))
    with pytest.raises(InvalidInput):
        await change(database, shop, long, reviews=(mine,))
    assert await status_of(database, mine) == "pending"
    assert (await only_row(database, ai_conversations, id=talk))["closed_at"] is None
    await change(database, shop, REJECT, reviews=(mine,))
    with pytest.raises(EscalationDecided):
        await change(database, shop, REJECT, reviews=(mine,))


async def test_a_review_without_a_conversation_has_no_status(
    database: Database, shop: Shop, members: None
) -> None:
    review = await open_review(database, shop)
    await change(database, shop, TicketChange(TicketAction.CLAIM), reviews=(review,))
    with pytest.raises(EscalationNotFound):
        await change(database, shop, TicketChange(TicketAction.CLOSE), reviews=(review,))


async def test_another_clients_tickets_are_not_changed(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    review = await open_review(database, other)
    talk = await converse(database, other, review)
    for action in (TicketChange(TicketAction.CLAIM), REJECT, TicketChange(TicketAction.CLOSE)):
        with pytest.raises(EscalationNotFound):
            await change(database, shop, action, reviews=(review,))
        with pytest.raises(ConversationNotFound):
            await change(database, shop, action, talks=(talk,))
    assert await status_of(database, review) == "pending"


async def test_a_viewer_changes_nothing(database: Database, shop: Shop) -> None:
    talk = await converse(database, shop)
    viewer = Actor.person(new_ulid(), Role.VIEWER, network=None)
    for action in TicketAction:
        with pytest.raises(RoleRequired):
            await change(database, shop, TicketChange(action), talks=(talk,), actor=viewer)


@pytest.mark.parametrize(
    "wrong",
    [
        TicketChange(TicketAction.ASSIGN),
        TicketChange(TicketAction.SNOOZE),
        TicketChange(TicketAction.CLOSE, note="x"),
        TicketChange(TicketAction.REJECT, assignee=""),
        TicketChange(TicketAction.CLAIM, until=PAST),
        TicketChange(TicketAction.ASSIGN, assignee="nobody"),
        TicketChange(TicketAction.SNOOZE, until=PAST),
    ],
    ids=str,
)
async def test_values_belong_to_their_action(
    database: Database, shop: Shop, wrong: TicketChange
) -> None:
    talk = await converse(database, shop)
    with pytest.raises(InvalidTriage):
        await change(database, shop, wrong, talks=(talk,))


def test_a_selection_has_its_limits() -> None:
    with pytest.raises(InvalidTriage):
        TicketSelection.of([], [])
    ids = [f"{n:026}" for n in range(MAX_AT_ONCE)]
    assert TicketSelection.of(ids[:50] * 2, ids[50:]).size == MAX_AT_ONCE
    with pytest.raises(InvalidTriage):
        TicketSelection.of(ids, ["x"])
