"""Members' replies in conversations. The workflow `SendReply` sends a reply, which can be undone
until then."""

from collections.abc import Sequence

from domain.agent.plan import PlannedAction
from domain.agent.policy_context import connections_of, desk_of
from domain.agent.reply_action import reply_through
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.intake.attachment import check_reply_files
from domain.intake.event import UnifiedEvent
from domain.reviews.errors import ConversationMovedOn
from domain.reviews.escalation import check_words
from domain.runs.errors import ReplyNotPossible
from domain.runs.teammate_reply import NO_MESSAGE, UNDO_FOR, TeammateReply
from domain.tenants.actor import REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.intake.events import EventRepository
from store.integrations.integrations import IntegrationRepository
from store.reviews.replies import ReplyRepository
from store.reviews.reply_files import ReplyFileRepository


async def write_reply(
    work: UnitOfWork,
    actor: Actor,
    conversation_id: str,
    text: str,
    *,
    seen_event: str | None = None,
    file_ids: Sequence[str] = (),
) -> TeammateReply:
    """Schedule a reply to the customer's latest message in a conversation, and return it.

    It is sent through that message's channel after UNDO_FOR, and closes the open reviews of the
    answered messages (`services/reviews/reply_sending.py`). A repeated request with the same text
    and files returns the existing reply.

    `seen_event` is the latest message that the actor has read, or None. `file_ids` are the actor's
    uploads (`services/reviews/reply_files.py`).

    Raises RoleRequired, InvalidInput for a text that cannot be sent, ConversationNotFound,
    ConversationTaken, EscalationClaimed, ReplyNotPossible, AttachmentNotFound, AttachmentRefused.
    Raises ConversationMovedOn if the customer has written since `seen_event`.
    """
    actor.require(REVIEWERS)
    check_words(text)
    replies = ReplyRepository(work.connection, work.tenant)
    standing = await replies.lock_conversation(conversation_id)
    standing.check_open_to(actor.name, work.now)
    latest = await replies.latest_message(conversation_id, work.now)
    event = None
    if latest is not None:
        event = await EventRepository(work.connection, work.tenant).unified(latest.event_id)
    if latest is None or event is None:
        raise ReplyNotPossible(NO_MESSAGE)
    if seen_event is not None and seen_event != latest.event_id:
        raise ConversationMovedOn(conversation_id)
    delivery = await delivery_of(work, event)
    latest.with_event(event).check_answerable(delivery, has_files=bool(file_ids))
    files = ReplyFileRepository(work.connection, work.tenant)
    same = await replies.same_as(latest, actor.name, text, set(file_ids))
    if same is not None:
        return same
    reply = await replies.add(
        work.new_id(),
        conversation_id,
        latest,
        author=actor.name,
        by_member=actor.role is not None,
        body=text,
        now=work.now,
        send_at=work.now + UNDO_FOR,
    )
    if file_ids:
        await files.attach(
            file_ids,
            conversation_id,
            reply_id=reply.id,
            event_id=latest.event_id,
            author=actor.name,
        )
        check_reply_files([one.size for one in await files.of_reply(reply.id)])
    work.begin(names.SEND_REPLY, BackgroundRef(client_id=work.tenant, record_id=reply.id))
    work.note(actor, "reply written", conversation_id=conversation_id, reply_id=reply.id)
    return reply


async def undo_reply(work: UnitOfWork, actor: Actor, reply_id: str) -> TeammateReply:
    """Delete a reply before it is sent, and return it. Its files return to the author. Teammates
    may also undo it. Raises RoleRequired, ReplyNotFound, ReplySent."""
    actor.require(REVIEWERS)
    replies = ReplyRepository(work.connection, work.tenant)
    reply = await replies.lock(reply_id)
    reply.check_undoable()
    await ReplyFileRepository(work.connection, work.tenant).detach(reply_id)
    await replies.remove(reply_id)
    work.note(actor, "reply undone", conversation_id=reply.conversation_id, reply_id=reply_id)
    return reply


async def delivery_of(work: UnitOfWork, event: UnifiedEvent) -> PlannedAction:
    """Return the action that delivers a reply to an event, using the client's current
    connections."""
    connected = await IntegrationRepository(work.connection, work.tenant).connected()
    return reply_through(event, desk_of(event, connections_of(connected)))
