"""Internal notes in conversations. Members can read them, and a customer's data file includes
them."""

from domain.runs.teammate_reply import InternalNote, check_internal_note
from domain.tenants.actor import REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.runs.conversation_reading import ConversationReader
from store.runs.internal_notes import InternalNoteRepository


async def add_note(work: UnitOfWork, actor: Actor, conversation_id: str, text: str) -> InternalNote:
    """Store a note for teammates in a conversation, and return it. It is never sent, and the agent
    never reads it.

    Takeovers and claims do not prevent it. Raises RoleRequired, InvalidInput for an empty or
    overlong note, and ConversationNotFound.
    """
    actor.require(REVIEWERS)
    check_internal_note(text)
    reader = ConversationReader(work.connection, work.tenant)
    event_id = await reader.latest_event(conversation_id)
    note = InternalNote(id=work.new_id(), author=actor.name, body=text, created_at=work.now)
    await InternalNoteRepository(work.connection, work.tenant).add(note, conversation_id, event_id)
    work.note(actor, "note added", conversation_id=conversation_id, note_id=note.id)
    return note
