"""The conversation of a widget's session, as its visitor takes part in it."""

from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import HeldSession
from services.core.unit_of_work import UnitOfWork
from store.widget.session_states import SessionStateRepository


async def note_seen(work: UnitOfWork, session: HeldSession, number: int) -> None:
    """The visitor was shown the session's messages up to this number, so none of them is mailed.

    No audit entry: it changes nothing of the client's. Raises SessionUnknown.
    """
    states = SessionStateRepository(work.connection, work.tenant)
    if not await states.seen(session, number, work.now):
        raise SessionUnknown
