"""What visitors of the widget do to verify their address: have a code mailed, and enter it."""

from dataclasses import dataclass, field

from domain.core.ports import Sealer
from domain.widget.errors import SessionUnknown, TooManyCodes
from domain.widget.visitor_code import is_visitor_code, visitor_code_digest
from domain.widget.widget_session import VerifiedBy, WidgetSession, may_begin
from services.core.unit_of_work import UnitOfWork
from store.widget.session_messages import SessionMessageRepository
from store.widget.visitor_codes import NOTHING, NewVisitorCode, VisitorCodeRepository
from store.widget.visitor_sessions import WidgetSessionRepository


@dataclass(frozen=True, slots=True)
class VisitorCodeWanted:
    """`email`: checked (`domain/identity/address.py`). `language`: None for the session's own, and
    French where it has none yet. `code`: its text, just drawn."""

    session_id: str
    email: str
    language: str | None
    network: str
    code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class VerifiedVisitor:
    """`session_id`: of the session that goes on, which may be a new one."""

    session_id: str
    email: str


async def make_visitor_code(work: UnitOfWork, wanted: VisitorCodeWanted, sealer: Sealer) -> str:
    """Store a code, for any address, and return its id for the mail. Where the address or the
    client had as many codes as they get, it is one that is held back: no mail finds it.

    Whether the address is a customer's is looked up nowhere, and what is held back is work all the
    same, and counts for its session: nobody learns of others by time or by limits. Raises
    SessionUnknown of a session that has ended, and TooManyCodes.
    """
    codes = VisitorCodeRepository(work.connection, work.tenant)
    sessions = WidgetSessionRepository(work.connection, work.tenant)
    session = await sessions.find(wanted.session_id, work.now)
    if session is None and not may_begin(wanted.session_id, work.now):
        raise SessionUnknown
    recent = await codes.recent(wanted.session_id, wanted.email, work.now)
    wait_s = recent.wait_s(work.now)
    if wait_s is not None:
        raise TooManyCodes(wait_s)
    language = wanted.language or (session.language if session is not None else "fr")
    await sessions.open(wanted.session_id, language, work.now)
    code_id = work.new_id()
    await codes.create(
        NewVisitorCode(
            id=code_id,
            session_id=wanted.session_id,
            email=wanted.email,
            network=wanted.network,
            digest=visitor_code_digest(sealer, work.tenant, code_id, wanted.code)
            if recent.may_be_mailed
            else NOTHING,
            sealed_code=sealer.seal(wanted.code) if recent.may_be_mailed else None,
        ),
        work.now,
    )
    return code_id


async def enter_visitor_code(
    work: UnitOfWork, session_id: str, code: str, sealer: Sealer
) -> VerifiedVisitor | None:
    """Verify the visitor of a session by a code; None where it is wrong, used up, too old or
    another session's. The try counts all the same, so the work must be committed then too.

    A session that is another visitor's stays theirs: a new one is opened.
    """
    sessions = WidgetSessionRepository(work.connection, work.tenant)
    session = await sessions.find(session_id, work.now)
    if session is None:
        return None
    codes = VisitorCodeRepository(work.connection, work.tenant)
    tried = await codes.take_try(session_id, work.now)
    # A list, not a generator: each comparison is made.
    right = [
        one.email for one in tried if is_visitor_code(sealer, work.tenant, one.id, code, one.digest)
    ]
    if not right:
        return None
    await codes.use_up(session_id, [one.id for one in tried], work.now)
    email = right[0]
    # `open` locks the row: no other transaction verifies it for another address meanwhile.
    session = await sessions.open(session_id, session.language, work.now)
    if not _may_be_theirs(session, email):
        session = await sessions.open(work.new_id(), session.language, work.now)
    await sessions.verify(session.id, email, VerifiedBy.CODE, work.now)
    await SessionMessageRepository(work.connection, work.tenant).changed(session.id)
    return VerifiedVisitor(session.id, email)


def _may_be_theirs(session: WidgetSession, email: str) -> bool:
    """Whether a code for this address may verify the session. One that the merchant's signature
    verified is open to its pages only while they sign their user."""
    if session.verified_email is None:
        return True
    return session.verified_email == email and session.verified_by is VerifiedBy.CODE
