"""Visitors' actions in a widget session's conversation."""

from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import HeldSession
from services.core.unit_of_work import UnitOfWork
from store.widget.session_states import SessionStateRepository


async def note_seen(work: UnitOfWork, session: HeldSession, number: int) -> None:
    """Record that the visitor has seen the messages up to this number, which are then not emailed.
    Raises SessionUnknown.

    The client's data stays the same, so no audit entry is written.
    """
    states = SessionStateRepository(work.connection, work.tenant)
    if not await states.seen(session, number, work.now):
        raise SessionUnknown
