"""Take-overs: a person answers a conversation in the agent's place, until they hand it back."""

from domain.tenants.actor import MANAGERS, REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.runs.takeovers import TakeoverRepository


async def take_over(
    work: UnitOfWork, actor: Actor, conversation_id: str, *, force: bool = False
) -> None:
    """The agent answers nothing in it any more: what comes waits in a review. What the agent has
    begun to send still goes out. `force` takes it from a colleague, which owners and admins may.

    Raises RoleRequired, ConversationNotFound, ConversationTaken.
    """
    actor.require(MANAGERS if force else REVIEWERS)
    conversations = TakeoverRepository(work.connection, work.tenant)
    await conversations.take(conversation_id, actor.name, work.now, force=force)
    work.note(actor, "conversation taken over", conversation_id=conversation_id)


async def hand_back(work: UnitOfWork, actor: Actor, conversation_id: str) -> None:
    """The agent answers what comes next, also where a rejection had given it to people. A review
    that is open stays open, and what comes while it is joins it.

    Raises RoleRequired, ConversationNotFound.
    """
    actor.require(REVIEWERS)
    await TakeoverRepository(work.connection, work.tenant).hand_back(conversation_id)
    work.note(actor, "conversation handed back", conversation_id=conversation_id)
