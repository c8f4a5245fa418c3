"""Takeovers: a member answers in a conversation instead of the AI agent, until the conversation is
handed back."""

from domain.tenants.actor import MANAGERS, REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.runs.takeovers import TakeoverRepository


async def take_over(
    work: UnitOfWork, actor: Actor, conversation_id: str, *, force: bool = False
) -> None:
    """Take over a conversation from the AI agent, whose new messages are then held in a review.

    A reply that is already being sent is not stopped. If `force` is true, owners and admins take
    over from a colleague. Raises RoleRequired, ConversationNotFound, ConversationTaken.
    """
    actor.require(MANAGERS if force else REVIEWERS)
    conversations = TakeoverRepository(work.connection, work.tenant)
    await conversations.take(conversation_id, actor.name, work.now, force=force)
    work.note(actor, "conversation taken over", conversation_id=conversation_id)


async def hand_back(work: UnitOfWork, actor: Actor, conversation_id: str) -> None:
    """Hand a conversation back to the AI agent, which answers the next message, even after a
    rejection.

    An open review stays open, and receives the messages that arrive meanwhile. Raises RoleRequired,
    ConversationNotFound.
    """
    actor.require(REVIEWERS)
    await TakeoverRepository(work.connection, work.tenant).hand_back(conversation_id)
    work.note(actor, "conversation handed back", conversation_id=conversation_id)
