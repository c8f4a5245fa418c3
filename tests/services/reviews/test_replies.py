"""Replies: permissions to write and undo, and audit entries."""

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.core import names
from domain.core.contracts import RunRef
from domain.core.errors import EngineUnavailable, InvalidInput
from domain.intake.event import Channel
from domain.learning.threshold_advice import Seen
from domain.reviews.errors import ConversationMovedOn, EscalationClaimed
from domain.reviews.escalation import CLAIM_LASTS, MAX_WORDS
from domain.runs.errors import (
    ConversationNotFound,
    ConversationTaken,
    ReplyNotFound,
    ReplyNotPossible,
)
from domain.runs.teammate_reply import ReplyState, TeammateReply
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.reviews.claims import claim_review
from services.reviews.decisions import approve_review
from services.reviews.replies import undo_reply, write_reply
from services.reviews.reply_sending import place_of, start_reply
from services.reviews.takeovers import take_over
from store.core.database import Database
from store.intake.tables import engine_events
from store.learning.threshold_outcomes import ThresholdOutcomes
from store.reviews.replies import ReplyRepository
from store.reviews.tables import escalation_tickets
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.cases import CaseRepository
from store.runs.tables import (
    action_ledger,
    ai_conversations,
    conversation_replies,
    engine_messages,
)
from tests.support.core.rows import only_row, rows
from tests.support.core.units import Recorder, units_on
from tests.support.reviews.conversations import converse
from tests.support.reviews.conversations import put_into as put_into_conversation
from tests.support.reviews.conversations import write as write_later
from tests.support.reviews.replies import ANNA, BEN, WORDS, conversation_of, joined, written
from tests.support.reviews.reviews import DRAFT, open_review
from tests.support.runs.conversation import say, write
from tests.support.tenants.shop import Shop, open_shop


async def _talk(database: Database, shop: Shop, *, channel: Channel = Channel.API) -> str:
    ref = await write(database, shop, channel=channel)
    return await conversation_of(database, ref.event_id)


async def test_a_reply_is_scheduled_noted_and_started(database: Database, shop: Shop) -> None:
    conversation_id, engine = await _talk(database, shop), Recorder()
    with capture_logs() as logs:
        async with units_on(database, engine).of(shop.tenant) as work:
            reply = await write_reply(work, ANNA, conversation_id, WORDS)
    assert reply.state is ReplyState.SCHEDULED
    assert reply.send_at - reply.created_at == timedelta(seconds=10)
    assert [(name, ref.record_id) for name, ref in engine.begun] == [(names.SEND_REPLY, reply.id)]
    (noted,) = [one for one in logs if one.get("client_id") == shop.client_id]
    assert (noted["event"], noted["user_id"]) == ("reply written", ANNA.name)
    assert (noted["conversation_id"], noted["reply_id"]) == (conversation_id, reply.id)
    assert WORDS not in str(logs)


@pytest.mark.parametrize("actor", [Actor.person("v", Role.VIEWER), Actor.key("k")])
async def test_who_may_not(database: Database, shop: Shop, actor: Actor) -> None:
    reply = await written(database, shop, await _talk(database, shop))
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await write_reply(work, actor, reply.conversation_id, WORDS)
        with pytest.raises(RoleRequired):
            await undo_reply(work, actor, reply.id)


@pytest.mark.parametrize("text", ["", " \n", "x" * (MAX_WORDS + 1)])
async def test_a_text_that_cannot_be_sent(database: Database, shop: Shop, text: str) -> None:
    conversation_id = await _talk(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidInput):
            await write_reply(work, ANNA, conversation_id, text)


async def test_not_in_a_colleagues_conversation(database: Database, shop: Shop) -> None:
    conversation_id = await _talk(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await take_over(work, BEN, conversation_id)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(ConversationTaken):
            await write_reply(work, ANNA, conversation_id, WORDS)
    await written(database, shop, conversation_id, by=BEN)


async def test_not_while_a_colleague_claims_the_review(database: Database, shop: Shop) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    await _normalized(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await claim_review(work, BEN, review_id)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(EscalationClaimed) as refused:
            await write_reply(work, ANNA, conversation_id, WORDS)
    assert refused.value.claimed_by == BEN.name
    async with database.service() as connection:
        await connection.execute(
            sa.update(escalation_tickets).values(claimed_at=utc_now() - CLAIM_LASTS)
        )
    await written(database, shop, conversation_id)


async def test_no_reply_without_a_message(database: Database, shop: Shop) -> None:
    conversation_id = await converse(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(ReplyNotPossible) as refused:
            await write_reply(work, ANNA, conversation_id, WORDS)
        assert refused.value.reason == "no_message"
        with pytest.raises(ConversationNotFound):
            await write_reply(work, ANNA, new_ulid(), WORDS)


async def test_not_after_a_message_that_the_member_has_not_read(
    database: Database, shop: Shop
) -> None:
    first = await write(database, shop)
    conversation_id = await conversation_of(database, first.event_id)
    second = await write(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(ConversationMovedOn):
            await write_reply(work, ANNA, conversation_id, WORDS, seen_event=first.event_id)
        await write_reply(work, ANNA, conversation_id, WORDS, seen_event=second.event_id)


async def test_no_reply_to_an_automatic_mail(database: Database, shop: Shop) -> None:
    conversation_id = await _talk(database, shop, channel=Channel.EMAIL)
    await _unified(database, shop, reply_allowed=False)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(ReplyNotPossible) as refused:
            await write_reply(work, ANNA, conversation_id, WORDS)
    assert refused.value.reason == "mail_not_answerable"


async def test_an_automatic_mail_does_not_hide_the_customers_message(
    database: Database, shop: Shop
) -> None:
    """For example, an out-of-office reply to the first answer."""
    await write(database, shop, channel=Channel.EMAIL)
    await _unified(database, shop, reply_allowed=False)
    asked = await write(database, shop, channel=Channel.EMAIL)
    conversation_id = await conversation_of(database, asked.event_id)
    automatic = await write(database, shop, channel=Channel.EMAIL)
    await _unified(database, shop, automatic.event_id, reply_allowed=False)

    async with units_on(database).of(shop.tenant) as work:
        reply = await write_reply(work, ANNA, conversation_id, WORDS, seen_event=asked.event_id)
    assert reply.event_id == asked.event_id


async def test_no_reply_in_a_ticket_of_a_helpdesk_that_is_not_connected(
    database: Database, shop: Shop
) -> None:
    """A stored reply would reach nobody."""
    conversation_id = await _talk(database, shop, channel=Channel.HELPDESK)
    reply = await written(database, shop, conversation_id)
    await _unified(database, shop, platform="zendesk", ticket_id="7", ticket_named=True)
    async with database.service() as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.client_id == shop.client_id)
            .values(received_by="zendesk")
        )
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
        with pytest.raises(ReplyNotPossible) as refused:
            await write_reply(work, ANNA, conversation_id, "Encore.")
    assert refused.value.reason == "not_connected"
    row = await only_row(database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "not_connected")
    assert await rows(database, engine_messages, of=shop, author="human") == []


async def test_two_members_do_not_answer_at_once(database: Database, shop: Shop) -> None:
    reply = await written(database, shop, await _talk(database, shop))
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(ConversationTaken) as refused:
            await write_reply(work, BEN, reply.conversation_id, "Bonjour, c'est Ben.")
        assert refused.value.by == ANNA.name
        await undo_reply(work, BEN, reply.id)
    await written(database, shop, reply.conversation_id, by=BEN)


async def test_a_request_that_is_repeated_sends_one_reply(database: Database, shop: Shop) -> None:
    """As after a lost response, before and after the send."""
    engine = Recorder()
    conversation_id, units = await _talk(database, shop), units_on(database, engine)
    await joined(database, shop, ANNA)
    replies: list[TeammateReply] = []
    for _ in range(3):
        async with units.of(shop.tenant) as work:
            replies.append(await write_reply(work, ANNA, conversation_id, WORDS))
        if len(replies) == 2:
            async with units.of(shop.tenant) as work:
                await start_reply(work, replies[0].id)
    assert len({one.id for one in replies}) == 1
    assert len([name for name, _ in engine.begun if name == names.SEND_REPLY]) == 1
    assert (await only_row(database, conversation_replies, of=shop))["state"] == "sent"
    async with database.service() as connection:
        await connection.execute(
            sa.update(conversation_replies)
            .where(conversation_replies.c.client_id == shop.client_id)
            .values(state="failed")
        )
    assert (await written(database, shop, conversation_id)).id != replies[0].id


@pytest.mark.parametrize("by", [ANNA, BEN])
async def test_an_approval_is_the_only_answer(database: Database, shop: Shop, by: Actor) -> None:
    """Even if the author of the reply approves."""
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    await _normalized(database, shop)
    reply = await written(database, shop, conversation_id)
    async with units_on(database).of(shop.tenant) as work:
        await approve_review(work, by, review_id)

    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is None

    row = await only_row(database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "answered_meanwhile")
    assert (await only_row(database, escalation_tickets, of=shop))["status"] == "approved"
    assert await rows(database, engine_messages, of=shop, author="human") == []


async def test_an_approval_waits_for_the_start_of_a_send(database: Database, shop: Shop) -> None:
    """Both lock the conversation, so each sees the other's effect."""
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)

    async def approve() -> None:
        async with units_on(database).of(shop.tenant) as work:
            await work.connection.execute(sa.text("SET LOCAL lock_timeout = '100ms'"))
            await approve_review(work, BEN, review_id)

    async with database.tenant(shop.tenant) as connection:
        await ReplyRepository(connection, shop.tenant).lock_conversation(conversation_id)
        with pytest.raises(EngineUnavailable):
            await approve()
    await approve()


async def test_an_answer_of_the_agent_is_the_only_answer(database: Database, shop: Shop) -> None:
    """The agent's run was in progress when the reply was written."""
    ref = await write(database, shop)
    reply = await written(database, shop, await conversation_of(database, ref.event_id))
    await say(database, shop, ref, reply.created_at + timedelta(seconds=2))

    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is None

    row = await only_row(database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "answered_meanwhile")
    assert await rows(database, engine_messages, of=shop, author="human") == []


async def _answering(database: Database, shop: Shop, ref: RunRef, at: datetime) -> None:
    """Set the state before the helpdesk has accepted the agent's answer, as execute does."""
    async with database.tenant(shop.tenant) as connection:
        await ActionLedger(connection, shop.tenant).begin(
            LedgerPlace(ref.run_id, 0, 0),
            Effect(ActionKind.REPLY_IN_HELPDESK, ticket_id="7"),
            entry_id=new_ulid(),
            now=at,
        )


@pytest.mark.parametrize("seconds", [-1, 2])
async def test_an_answer_on_its_way_is_the_only_answer(
    database: Database, shop: Shop, seconds: int
) -> None:
    """The helpdesk takes longer to accept the agent's answer than the undo period."""
    ref = await write(database, shop)
    at = utc_now() + timedelta(seconds=seconds)
    await _answering(database, shop, ref, at)
    reply = await written(database, shop, await conversation_of(database, ref.event_id))

    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is None

    row = await only_row(database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "answered_meanwhile")


@pytest.mark.parametrize("state", [StepState.DONE, StepState.FAILED, None])
async def test_an_answer_that_is_over_failed_or_given_up_does_not_prevent_a_reply(
    database: Database, shop: Shop, state: StepState | None
) -> None:
    ref = await write(database, shop)
    earlier = utc_now() - timedelta(hours=2)
    await _answering(database, shop, ref, earlier)
    if state is not None:
        over = StepOutcome(kind=ActionKind.REPLY_IN_HELPDESK, state=state)
        async with database.tenant(shop.tenant) as connection:
            ledger = ActionLedger(connection, shop.tenant)
            await ledger.finish(LedgerPlace(ref.run_id, 0, 0), over, reference="", now=earlier)
    reply = await written(database, shop, await conversation_of(database, ref.event_id))

    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)

    assert (await only_row(database, conversation_replies, of=shop))["state"] == "sent"


@pytest.mark.parametrize("joins", [False, True])
async def test_a_review_of_a_message_that_came_later_stays_open(
    database: Database, shop: Shop, *, joins: bool
) -> None:
    """The author of the reply has not seen this message, so the reply does not answer it."""
    now = utc_now()
    review_id = await open_review(database, shop, now=now)
    conversation_id = await converse(database, shop, review_id)
    await _normalized(database, shop)
    reply = await written(database, shop, conversation_id)
    if joins:
        later = await write_later(
            database, shop, conversation_id, now=now + timedelta(seconds=5), joined_review=review_id
        )
        async with database.service() as connection:
            await connection.execute(
                sa.update(escalation_tickets)
                .where(escalation_tickets.c.id == review_id)
                .values(latest_event_id=later.event_id)
            )
    else:
        later_id = await open_review(database, shop, now=now + timedelta(seconds=5))
        await put_into_conversation(database, shop, conversation_id, later_id)

    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)

    assert (await only_row(database, conversation_replies, of=shop))["state"] == "sent"
    found = await rows(database, escalation_tickets, of=shop)
    statuses = {one["id"]: one["status"] for one in found}
    expected = {review_id: "pending"} if joins else {review_id: "rejected", later_id: "pending"}
    assert statuses == expected


async def test_the_agent_sees_a_reply_that_waits(database: Database, shop: Shop) -> None:
    ref = await write(database, shop)
    reply = await written(database, shop, await conversation_of(database, ref.event_id))
    seen: list[bool] = []
    for _ in range(2):
        async with units_on(database).of(shop.tenant) as work:
            seen.append(
                (await CaseRepository(work.connection, shop.tenant).read(ref.run_id)).is_taken
            )
            if len(seen) == 1:
                await undo_reply(work, ANNA, reply.id)
    assert seen == [True, False]


@pytest.mark.parametrize(
    ("text", "seen"), [(f"{DRAFT}\n", Seen.APPROVED), ("Autre chose.", Seen.EDITED)]
)
async def test_a_reply_says_what_the_agents_draft_was_worth(
    database: Database, shop: Shop, text: str, seen: Seen
) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    await _normalized(database, shop)
    reply = await written(database, shop, conversation_id, text)
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
        outcomes = ThresholdOutcomes(work.connection, shop.tenant)
        assert [one.seen for one in await outcomes.last(shop.playbook_id, None)] == [seen]


async def test_an_interrupted_attempt_by_another_connection_is_not_repeated(
    database: Database, shop: Shop
) -> None:
    """The helpdesk was disconnected between the two attempts."""
    reply = await written(database, shop, await _talk(database, shop))
    ticket = Effect(ActionKind.REPLY_IN_HELPDESK, new_ulid(), ticket_id="7")
    async with database.tenant(shop.tenant) as connection:
        ledger = ActionLedger(connection, shop.tenant)
        await ledger.begin(place_of(reply), ticket, entry_id=new_ulid(), now=utc_now())

    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is None

    row = await only_row(database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("unknown", "connection_changed")
    entry = await only_row(database, action_ledger, of=shop)
    assert (entry["action"], entry["state"]) == ("reply_in_helpdesk", "unknown")
    assert await rows(database, engine_messages, of=shop, author="human") == []


async def test_a_colleague_keeps_the_conversation_that_the_reply_finds(
    database: Database, shop: Shop
) -> None:
    reply = await written(database, shop, await _talk(database, shop))
    async with units_on(database).of(shop.tenant) as work:
        await take_over(work, BEN, reply.conversation_id)
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
    assert (await only_row(database, ai_conversations, of=shop))["taken_by"] == BEN.name


async def test_an_open_question_of_the_agent_is_dropped(database: Database, shop: Shop) -> None:
    reply = await written(database, shop, await _talk(database, shop))
    async with database.service() as connection:
        await connection.execute(
            sa.update(ai_conversations)
            .where(ai_conversations.c.client_id == shop.client_id)
            .values(thread={"asked_number": "refund", "asked_of": "a@b.example"})
        )
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
    talk = await only_row(database, ai_conversations, of=shop)
    assert talk["thread"] == {}


async def test_another_clients_conversation_is_not_there(database: Database, shop: Shop) -> None:
    other_shop = await open_shop(database)
    reply = await written(database, shop, await _talk(database, shop))
    async with units_on(database).of(other_shop.tenant) as work:
        with pytest.raises(ConversationNotFound):
            await write_reply(work, ANNA, reply.conversation_id, WORDS)
        with pytest.raises(ReplyNotFound):
            await undo_reply(work, BEN, reply.id)


async def _normalized(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.client_id == shop.client_id)
            .values(unified={"channel": "api"}, text="Bonjour")
        )


async def _unified(
    database: Database, shop: Shop, event_id: str | None = None, **fields: object
) -> None:
    """Change fields of one or all normalized events of the shop."""
    events = engine_events.c
    async with database.service() as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(
                events.client_id == shop.client_id,
                sa.true() if event_id is None else events.id == event_id,
            )
            .values(unified=events.unified.concat(sa.cast(fields, events.unified.type)))
        )
