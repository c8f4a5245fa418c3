"""A visitor's part in the conversation of a widget session."""

from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import HeldSession
from services.core.unit_of_work import UnitOfWork
from store.widget.session_states import SessionStateRepository


async def note_seen(work: UnitOfWork, session: HeldSession, number: int) -> None:
    """Record that the visitor saw the session's messages up to this number, so none is mailed.

    There is no audit entry: no data of the client changes. Raises SessionUnknown.
    """
    states = SessionStateRepository(work.connection, work.tenant)
    if not await states.seen(session, number, work.now):
        raise SessionUnknown
