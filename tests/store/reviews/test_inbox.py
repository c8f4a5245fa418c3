"""The inbox: each view's tickets, their order, filters and pages."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.runs.inbox import (
    NO_ASSIGNEE,
    ClaimFilter,
    InboxFilter,
    InboxOrder,
    InboxTicket,
    InboxView,
)
from domain.runs.triage import ConversationStatus
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.claims import claim_review
from services.reviews.decisions import approve_review, reject_review
from store.core.database import Database
from store.reviews import inbox
from store.reviews.inbox import InboxReader
from store.reviews.open_reviews import MOST, count_needs
from store.reviews.tables import escalation_tickets
from store.runs.conversations import ConversationRepository
from store.runs.tables import ai_conversations, engine_runs
from tests.support.core.units import units_on
from tests.support.reviews.conversations import converse, put_into, set_run
from tests.support.reviews.conversations import write as write_into
from tests.support.reviews.reviews import open_review, refund
from tests.support.runs.conversation import say, write
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop

ME = Actor.person("inbox-me", Role.AGENT)
BEN = Actor.person("inbox-ben", Role.AGENT)


async def listed(
    database: Database, shop: Shop, view: InboxView = InboxView.NEEDS, **more: object
) -> list[InboxTicket]:
    """Return all tickets of a view, read page by page."""
    filters = InboxFilter.model_validate({"view": view, **more})
    found: list[InboxTicket] = []
    after = None
    async with database.reading(shop.tenant) as connection:
        reader = InboxReader(connection, shop.tenant)
        for _ in range(30):
            page, after = await reader.page(
                filters, user=ME.name, after=after, limit=2, now=utc_now()
            )
            found += page
            if after is None:
                return found
    raise AssertionError("there is no last page")


def talks(tickets: Sequence[InboxTicket]) -> list[str | None]:
    return [one.conversation_id for one in tickets]


async def failed_talk(database: Database, shop: Shop, at: datetime | None = None) -> str:
    """Create a conversation whose message the agent could not answer."""
    talk = await converse(database, shop, now=at)
    await write_into(database, shop, talk, now=at, status="failed")
    return talk


async def set_talk(database: Database, shop: Shop, talk: str, **columns: object) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(ai_conversations).where(ai_conversations.c.id == talk).values(columns)
        )


async def test_needs_the_team_means_a_review_or_a_message_nobody_answers(
    database: Database,
) -> None:
    shop, now = await open_shop(database), utc_now()
    at = [now + timedelta(minutes=n) for n in range(6)]
    failed = await failed_talk(database, shop, at[1])
    reviewed = await converse(database, shop, now=at[0])
    review = await open_review(database, shop, now=at[2])
    await put_into(database, shop, reviewed, review)
    urgent = await open_review(database, shop, now=at[4])
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.id == urgent)
            .values(urgent=True)
        )
    alone = await open_review(database, shop, now=at[3])
    working = await converse(database, shop, now=at[5])
    await write_into(database, shop, working)  # the agent works on it
    answered = await write(database, shop)
    await say(database, shop, answered, now + timedelta(seconds=1))

    found = await listed(database, shop)
    assert [(one.conversation_id, one.review_id) for one in found] == [
        (None, urgent),
        (failed, None),
        (reviewed, review),
        (None, alone),
    ]
    assert all(one.waits_for_team and one.is_unanswered for one in found)
    newest = await listed(database, shop, order=InboxOrder.NEWEST)
    assert [one.review_id for one in newest] == [urgent, alone, review, None]
    async with database.reading(shop.tenant) as connection:
        assert await count_needs(connection, shop.tenant, now) == len(found)


async def test_a_ticket_has_one_row_with_its_first_review(database: Database) -> None:
    shop, now = await open_shop(database), utc_now()
    ids = [
        await open_review(database, shop, now=now + timedelta(minutes=n), text=f"m{n}")
        for n in range(2)
    ]
    talk = await converse(database, shop, *ids)
    for view in (InboxView.NEEDS, InboxView.UNANSWERED, InboxView.ALL):
        (ticket,) = await listed(database, shop, view)
        assert (ticket.conversation_id, ticket.review_id) == (talk, ids[0])
        assert (ticket.preview, ticket.classification) == ("m0", "refund_request")


async def test_a_rejected_draft_still_needs_an_answer_until_it_is_closed(
    database: Database,
) -> None:
    shop = await open_shop(database)
    review = await open_review(database, shop)
    talk = await converse(database, shop, review)
    async with units_on(database).of(shop.tenant) as work:
        await reject_review(work, ME, review)
    await set_all_runs(database, shop, status="needs_review")
    (ticket,) = await listed(database, shop)
    assert (ticket.conversation_id, ticket.review_id) == (talk, None)
    assert ticket.path == f"/app/conversations/{talk}"
    for closing in (
        {"closed_at": utc_now()},
        {"closed_at": None, "snoozed_until": utc_now() + timedelta(hours=1)},
    ):
        await set_talk(database, shop, talk, **closing)
        for view in (InboxView.NEEDS, InboxView.UNANSWERED):
            assert await listed(database, shop, view) == []
    asleep = await listed(database, shop, status=ConversationStatus.SNOOZED)
    assert talks(asleep) == [talk]
    (decided,) = await listed(database, shop, InboxView.DECIDED)
    assert (decided.review_id, decided.conversation_id) == (review, talk)
    assert decided.path == f"/app/reviews/{review}"


async def test_an_approved_ticket_is_with_the_agent_until_the_answer_is_sent(
    database: Database,
) -> None:
    shop = await open_shop(database)
    review = await open_review(database, shop)
    talk = await converse(database, shop, review)
    async with units_on(database).of(shop.tenant) as work:
        await approve_review(work, ME, review)
    assert await listed(database, shop) == []
    assert talks(await listed(database, shop, InboxView.AGENT)) == [talk]
    assert talks(await listed(database, shop, InboxView.UNANSWERED)) == [talk]
    await set_all_runs(database, shop, status="failed")
    assert talks(await listed(database, shop)) == [talk]
    assert await listed(database, shop, InboxView.AGENT) == []


async def set_all_runs(database: Database, shop: Shop, **columns: object) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(engine_runs).values(columns))


async def test_mine_is_what_i_claimed_or_what_is_assigned_to_me(database: Database) -> None:
    shop, now = await open_shop(database), utc_now()
    mine, theirs, stale = [
        await open_review(database, shop, now=now + timedelta(minutes=n)) for n in range(3)
    ]
    async with units_on(database).of(shop.tenant) as work:
        await claim_review(work, ME, mine)
        await claim_review(work, BEN, theirs)
        await claim_review(work, ME, stale)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.id == stale)
            .values(claimed_at=now - timedelta(hours=1))
        )
    both = await converse(database, shop, mine)
    assigned, taken, closed = [await converse(database, shop) for _ in range(3)]
    for talk in (both, assigned, closed):
        await set_talk(database, shop, talk, assignee=ME.name)
    for talk in (assigned, taken):
        await set_talk(database, shop, talk, taken_by=ME.name, taken_at=now)
    await set_talk(database, shop, closed, closed_at=now)

    found = await listed(database, shop, InboxView.MINE)
    assert sorted(filter(None, talks(found))) == sorted([both, assigned, taken])
    assert [one.review_id for one in found if one.review_id] == [mine]
    done = await listed(database, shop, InboxView.MINE, status=ConversationStatus.CLOSED)
    assert talks(done) == [closed]


async def test_second_approvals(database: Database) -> None:
    shop = await open_shop(database)
    one, other = [await open_review(database, shop, needs_second=True) for _ in range(2)]
    async with database.service() as connection:
        await join(connection, shop.client_id, ME.name, Role.AGENT, email=f"{one}@a.test")
    async with units_on(database).of(shop.tenant) as work:
        await approve_review(work, ME, one)
    (ticket,) = await listed(database, shop, InboxView.SECOND)
    assert (ticket.review_id, ticket.awaits_second) == (one, True)
    assert {it.review_id for it in await listed(database, shop)} == {one, other}


async def test_the_agent_handles_what_it_answers(database: Database) -> None:
    shop = await open_shop(database)
    working = await converse(database, shop)
    await write_into(database, shop, working)
    ref = await write(database, shop)
    await say(database, shop, ref, utc_now() + timedelta(seconds=1))
    await failed_talk(database, shop)
    await converse(database, shop, await open_review(database, shop))
    taken = await converse(database, shop)
    await set_talk(database, shop, taken, handed_over_at=utc_now())

    found = await listed(database, shop, InboxView.AGENT)
    assert len(found) == 2
    assert working in talks(found)
    assert not any(one.waits_for_team for one in found)
    unanswered = await listed(database, shop, InboxView.UNANSWERED)
    assert working in talks(unanswered)
    assert len(unanswered) == 3
    assert len(await listed(database, shop, InboxView.ALL)) == 5


async def test_the_wait_starts_with_the_first_unanswered_message(database: Database) -> None:
    shop, now = await open_shop(database), utc_now()
    at = [now + timedelta(minutes=n) for n in range(5)]
    ref = await write(database, shop, now=at[0])
    await write(database, shop, now=at[1])
    (first,) = await listed(database, shop, InboxView.UNANSWERED)
    assert first.waiting_since == at[0]
    await say(database, shop, ref, at[2])
    assert await listed(database, shop, InboxView.UNANSWERED) == []
    await write(database, shop, now=at[3])
    (again,) = await listed(database, shop, InboxView.UNANSWERED)
    assert again.waiting_since == at[3]


async def test_a_stale_wait_is_not_listed_as_waiting(database: Database) -> None:
    """An answer stored by an earlier version of the service leaves the column unchanged."""
    shop = await open_shop(database)
    ref = await write(database, shop)
    await say(database, shop, ref, utc_now() + timedelta(seconds=1))
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(ai_conversations).values(waiting_since=utc_now()))
    for view in (InboxView.NEEDS, InboxView.UNANSWERED):
        assert await listed(database, shop, view) == []


async def test_a_message_left_without_an_answer_is_apart(database: Database) -> None:
    """The view of unanswered tickets lists it in its place; the view of tickets that need the team
    does not examine it."""
    shop, now = await open_shop(database), utc_now()
    at = [now + timedelta(minutes=n) for n in range(4)]
    first = await failed_talk(database, shop, at[0])
    ref = await write(database, shop, now=at[1])
    await set_run(database, shop, ref.run_id, status="completed")
    async with database.tenant(shop.tenant) as connection:
        await ConversationRepository(connection, shop.tenant).remember(ref.event_id, at[1])
    last = await failed_talk(database, shop, at[2])
    (left,) = await marked(database, shop)
    assert talks(await listed(database, shop)) == [first, last]
    assert talks(await listed(database, shop, InboxView.UNANSWERED)) == [first, left, last]

    await write(database, shop, now=at[3])
    assert await marked(database, shop) == []


async def marked(database: Database, shop: Shop) -> list[str]:
    table = ai_conversations.c
    query = sa.select(table.id).where(table.client_id == shop.client_id, table.answer_skipped)
    async with database.reading(shop.tenant) as connection:
        return list(await connection.scalars(query))


async def test_a_filter_by_review_finds_reviews_of_any_age(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open reviews have an index, so the filter is not limited to the latest conversations."""
    monkeypatch.setattr(inbox, "LOOKED_THROUGH", 1)
    shop, now = await open_shop(database), utc_now()
    review = await open_review(database, shop)
    old = await converse(database, shop, review, now=now - timedelta(days=3))
    for n in range(3):
        await failed_talk(database, shop, now + timedelta(minutes=n))
    for view in (InboxView.ALL, InboxView.UNANSWERED, InboxView.NEEDS):
        wanted = InboxFilter(view=view, claim=ClaimFilter.PENDING)
        async with database.reading(shop.tenant) as connection:
            page, following = await InboxReader(connection, shop.tenant).page(
                wanted, user=ME.name, after=None, limit=2, now=utc_now()
            )
        assert (talks(page), following) == ([old], None), view


async def test_filters(database: Database) -> None:
    shop = await open_shop(database)
    cheap = await open_review(database, shop, plan=(refund(500),), classification="complaint")
    dear = await open_review(
        database, shop, plan=(refund(90000),), reason=EscalationReason.POLICY_RESTRICTION
    )
    first, second = await converse(database, shop, cheap), await converse(database, shop, dear)
    await set_talk(
        database, shop, second, channel="email", tags=["vip"], is_critical=True, assignee=BEN.name,
        taken_by=BEN.name, taken_at=utc_now(), snoozed_until=utc_now() + timedelta(hours=1),
    )  # fmt: skip
    async with units_on(database).of(shop.tenant) as work:
        await claim_review(work, ME, cheap)
    for view in (InboxView.NEEDS, InboxView.ALL):
        for more, expected in (
            ({"reason": EscalationReason.LOW_CONFIDENCE}, first),
            ({"reason": EscalationReason.POLICY_RESTRICTION}, second),
            ({"classification": "complaint"}, first),
            ({"min_amount": 1000}, second),
            ({"claim": ClaimFilter.CLAIMED}, first),
            ({"claim": ClaimFilter.PENDING}, second),
            ({"channel": "email"}, second),
            ({"status": ConversationStatus.SNOOZED}, second),
            ({"status": ConversationStatus.OPEN}, first),
            ({"assignee": BEN.name}, second),
            ({"assignee": ME.name}, first),
            ({"tag": "vip"}, second),
            ({"unhappy": True}, second),
            ({"taken": True}, second),
        ):
            assert talks(await listed(database, shop, view, **more)) == [expected], (view, more)
        assert await listed(database, shop, view, assignee=NO_ASSIGNEE) == []
        assert await listed(database, shop, view, channel="email", tag="other") == []
    third = await failed_talk(database, shop)
    assert talks(await listed(database, shop, assignee=NO_ASSIGNEE)) == [third]


async def test_a_filtered_list_goes_on_after_the_tickets_looked_through(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "LOOKED_THROUGH", 3)
    shop, now = await open_shop(database), utc_now()
    made = [await converse(database, shop, now=now + timedelta(minutes=n)) for n in range(8)]
    await set_talk(database, shop, made[0], channel="email")
    assert talks(await listed(database, shop, InboxView.ALL, channel="email")) == [made[0]]
    oldest = await listed(database, shop, InboxView.ALL, order=InboxOrder.OLDEST)
    assert talks(oldest) == made
    assert talks(await listed(database, shop, InboxView.ALL)) == made[::-1]


async def test_another_clients_tickets_are_not_listed(database: Database) -> None:
    shop, other = await open_shop(database), await open_shop(database)
    await failed_talk(database, other)
    await open_review(database, other)
    for view in InboxView:
        assert await listed(database, shop, view) == []


async def test_counting_stops(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST == 1_000
    shop = await open_shop(database)
    for _ in range(3):
        await open_review(database, shop)
    monkeypatch.setattr("store.reviews.open_reviews.MOST", 1)
    async with database.reading(shop.tenant) as connection:
        assert await count_needs(connection, shop.tenant, utc_now()) == 2
