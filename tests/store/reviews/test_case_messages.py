"""Messages for a conversation with human agents: the case that they join, and their effect."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from adapters.system import new_ulid
from domain.agent.escalation_reason import EscalationReason
from domain.core.contracts import RunRef
from domain.reviews.errors import ConversationMovedOn, EscalationDecided
from domain.reviews.escalation import Choice, Decision
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_runs
from tests.support.core.rows import only_row
from tests.support.reviews.conversations import converse, join, write, write_and_join
from tests.support.reviews.reviews import open_review, refund
from tests.support.reviews.revisions import revise
from tests.support.tenants.shop import Shop, open_shop

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def decide(database: Database, shop: Shop, review_id: str, choice: Choice) -> bool:
    """Return whether a second approver is required."""
    async with database.tenant(shop.tenant) as connection:
        repository = EscalationRepository(connection, shop.tenant)
        return (await repository.decide(review_id, choice, NOW)).awaits_second


async def expire(database: Database, shop: Shop, review_id: str) -> None:
    review = await only_row(database, escalation_tickets, id=review_id)
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).settle(
            review["run_id"], review["round"], expired=True, now=NOW
        )


async def test_a_message_joins_the_open_review(database: Database, shop: Shop) -> None:
    plan = (refund(4990),)
    review_id = await open_review(database, shop, plan=plan)
    conversation_id = await converse(database, shop, review_id)
    before = await only_row(database, escalation_tickets, of=shop)
    ref = await write(database, shop, conversation_id)

    assert await join(database, shop, conversation_id, ref.event_id) == review_id

    row = await only_row(database, escalation_tickets, of=shop)
    assert row == {**before, "latest_event_id": ref.event_id}
    run = await only_row(database, engine_runs, id=ref.run_id)
    assert run["joined_review"] == review_id


async def test_a_repeated_step_changes_nothing(database: Database, shop: Shop) -> None:
    """Even if another message has arrived, or the review was decided."""
    review_id = await open_review(database, shop, needs_second=True)
    conversation_id = await converse(database, shop, review_id)
    first = await write_and_join(database, shop, conversation_id)
    second = await write_and_join(database, shop, conversation_id)
    assert await decide(
        database, shop, review_id, Choice(Decision.APPROVE, "anna", seen_event=second)
    )

    assert await join(database, shop, conversation_id, first) == review_id
    row = await only_row(database, escalation_tickets, of=shop)
    assert (row["latest_event_id"], row["first_approved_by"]) == (second, "anna")

    await decide(database, shop, review_id, Choice(Decision.APPROVE, "ben", seen_event=second))
    assert await join(database, shop, conversation_id, first) == review_id


async def test_approvals_before_it_are_void(database: Database, shop: Shop) -> None:
    """The first approver's text stays as a draft; they must approve again."""
    review_id = await open_review(database, shop, needs_second=True)
    conversation_id = await converse(database, shop, review_id)
    await decide(database, shop, review_id, Choice(Decision.EDIT, "anna", text="Mes mots."))
    latest = await write_and_join(database, shop, conversation_id)

    row = await only_row(database, escalation_tickets, of=shop)
    assert (row["first_approved_by"], row["first_approved_at"]) == (None, None)
    assert row["edited_text"] == "Mes mots."
    for blind in (None, "01J00000000000000000000000"):
        with pytest.raises(ConversationMovedOn):
            await decide(
                database, shop, review_id, Choice(Decision.APPROVE, "ben", seen_event=blind)
            )
    waits = [
        await decide(
            database,
            shop,
            review_id,
            Choice(Decision.APPROVE, person, seen="Mes mots.", seen_event=latest),
        )
        for person in ("ben", "anna")
    ]
    assert waits == [True, False]


@pytest.mark.parametrize("decision", [Decision.APPROVE, Decision.EDIT])
async def test_after_an_approval_the_agent_answers(
    database: Database, shop: Shop, decision: Decision
) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    await decide(database, shop, review_id, Choice(decision, "anna", text="Bonjour."))
    ref = await write(database, shop, conversation_id)

    assert await join(database, shop, conversation_id, ref.event_id) is None
    row = await only_row(database, ai_conversations, of=shop)
    assert row["handed_over_at"] is None
    assert (await only_row(database, engine_runs, id=ref.run_id))["joined_review"] is None


@pytest.mark.parametrize("how", ["reject", "expire"])
async def test_people_keep_what_they_took_over(database: Database, shop: Shop, how: str) -> None:
    """Their review shows the takeover, and is otherwise unchanged."""
    review_id = await open_review(database, shop, needs_second=True)
    conversation_id = await converse(database, shop, review_id)
    await decide(database, shop, review_id, Choice(Decision.APPROVE, "anna"))
    if how == "reject":
        await decide(database, shop, review_id, Choice(Decision.REJECT, "ben"))
    else:
        await expire(database, shop, review_id)
    before = await only_row(database, escalation_tickets, of=shop)
    ref = await write(database, shop, conversation_id)

    assert await join(database, shop, conversation_id, ref.event_id) == review_id
    assert (await only_row(database, ai_conversations, of=shop))["handed_over_at"] == NOW
    row = await only_row(database, escalation_tickets, of=shop)
    assert row == {**before, "latest_event_id": ref.event_id}


async def test_one_that_is_closed_by_the_workflow_hands_over_too(
    database: Database, shop: Shop
) -> None:
    """The previous version did not: then the settlement hands it over."""
    review_id = await open_review(database, shop)
    await converse(database, shop, review_id)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            escalation_tickets.update()
            .where(escalation_tickets.c.id == review_id)
            .values(status="rejected", decision="reject", decided_at=NOW)
        )
    await expire(database, shop, review_id)
    assert (await only_row(database, ai_conversations, of=shop))["handed_over_at"] == NOW


async def test_what_was_rejected_before_conversations_were_handed_over(
    database: Database, shop: Shop
) -> None:
    """The agent has answered there since, and continues."""
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    await decide(database, shop, review_id, Choice(Decision.REJECT, "ben"))
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(ai_conversations.update().values(handed_over_at=None))
    ref = await write(database, shop, conversation_id)
    assert await join(database, shop, conversation_id, ref.event_id) is None


async def test_a_message_of_another_conversation_joins_nothing(
    database: Database, shop: Shop
) -> None:
    review_id = await open_review(database, shop)
    await converse(database, shop, review_id)
    elsewhere = await converse(database, shop)
    ref = await write(database, shop, elsewhere)
    assert await join(database, shop, elsewhere, ref.event_id) is None
    other = await open_shop(database)
    theirs = await converse(database, other)
    stranger = await write(database, other, theirs)
    assert await join(database, other, theirs, stranger.event_id) is None
    assert (await only_row(database, escalation_tickets, id=review_id))["latest_event_id"] is None


async def test_all_open_reviews_of_it_are_outdated(database: Database, shop: Shop) -> None:
    """Two concurrent messages may have opened one review each."""
    old, new = [
        await open_review(database, shop, now=NOW + timedelta(seconds=later)) for later in (0, 1)
    ]
    conversation_id = await converse(database, shop, new, old)
    ref = await write(database, shop, conversation_id)

    assert await join(database, shop, conversation_id, ref.event_id) == new
    for review_id in (old, new):
        with pytest.raises(ConversationMovedOn):
            await decide(database, shop, review_id, Choice(Decision.APPROVE, "anna"))


async def test_a_sensitive_message_makes_its_review_urgent(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    found = []
    for matter in (None, "health", "legal", None):
        await write_and_join(database, shop, conversation_id, sensitive=matter)
        row = await only_row(database, escalation_tickets, of=shop)
        found.append((row["urgent"], row["sensitive"]))
    assert found == [(False, None), (True, "health"), (True, "health"), (True, "health")]


@pytest.mark.parametrize("decision", [Decision.APPROVE, Decision.REJECT])
async def test_a_message_and_a_decision_at_once(
    database: Database, shop: Shop, decision: Decision
) -> None:
    """The decision comes first or does not include the message, without a deadlock."""
    for _ in range(5):
        review_id = await open_review(database, shop)
        conversation_id = await converse(database, shop, review_id)
        ref = await write(database, shop, conversation_id)

        joined, decided = await asyncio.gather(
            join(database, shop, conversation_id, ref.event_id),
            decide(database, shop, review_id, Choice(decision, "anna")),
            return_exceptions=True,
        )

        if decision is Decision.REJECT:
            assert (joined, decided) == (review_id, False)
        elif joined is None:
            assert decided is False
        else:
            assert (joined, type(decided)) == (review_id, ConversationMovedOn)


async def test_a_message_and_the_clock_at_once(database: Database, shop: Shop) -> None:
    for _ in range(5):
        review_id = await open_review(database, shop)
        conversation_id = await converse(database, shop, review_id)
        ref = await write(database, shop, conversation_id)
        joined, _ = await asyncio.gather(
            join(database, shop, conversation_id, ref.event_id), expire(database, shop, review_id)
        )
        assert joined == review_id


async def test_many_messages_at_once(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    refs = [await write(database, shop, conversation_id) for _ in range(8)]
    joined = await asyncio.gather(
        *(join(database, shop, conversation_id, ref.event_id) for ref in refs)
    )
    assert set(joined) == {review_id}
    latest = (await only_row(database, escalation_tickets, of=shop))["latest_event_id"]
    await decide(database, shop, review_id, Choice(Decision.APPROVE, "anna", seen_event=latest))
    with pytest.raises(EscalationDecided):
        await decide(database, shop, review_id, Choice(Decision.REJECT, "ben"))


async def test_a_later_round_goes_on_with_its_messages(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    latest = await write_and_join(database, shop, conversation_id, sensitive="fraud")
    await decide(database, shop, review_id, Choice(Decision.APPROVE, "a", seen_event=latest))
    again = await open_round(database, shop, review_id)

    row = await only_row(database, escalation_tickets, id=again)
    assert (row["latest_event_id"], row["urgent"], row["sensitive"]) == (latest, True, "fraud")
    with pytest.raises(ConversationMovedOn):
        await decide(database, shop, again, Choice(Decision.APPROVE, "a"))
    await decide(database, shop, again, Choice(Decision.APPROVE, "a", seen_event=latest))


async def open_round(database: Database, shop: Shop, review_id: str) -> str:
    """Open the review of the same run's next round."""
    run_id = (await only_row(database, escalation_tickets, id=review_id))["run_id"]
    again = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).open(
            RunRef(client_id=shop.tenant, event_id=new_ulid(), run_id=run_id),
            escalation_id=again,
            round_=1,
            reason=EscalationReason.POLICY_RESTRICTION,
            expires_at=NOW,
            now=NOW,
        )
    return again


@pytest.mark.parametrize("_", range(5))
async def test_an_approval_and_another_plan_at_once(database: Database, shop: Shop, _: int) -> None:
    """One of the two wins, and the approved plan is the current plan."""
    review_id = await open_review(database, shop, plan=(refund(4990),))
    other = refund(3500).model_copy(update={"order_number": "1043"})

    outcomes = await asyncio.gather(
        decide(database, shop, review_id, Choice(Decision.APPROVE, "anna")),
        revise(database, shop, review_id, "Autre brouillon.", other),
        return_exceptions=True,
    )

    approved, changed = (not isinstance(one, BaseException) for one in outcomes)
    row = await only_row(database, escalation_tickets, of=shop)
    assert approved is not changed
    assert (row["status"], row["plan"][0]["order_number"]) == (
        ("approved", "1042") if approved else ("pending", "1043")
    )
