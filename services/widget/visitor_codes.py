"""Verification of widget visitors: a visitor requests a code by email, then enters it."""

from dataclasses import dataclass, field

from domain.core.ports import Sealer
from domain.identity.mailed_code import CodeKind, CodePlace, is_mailed_code, mailed_code_digest
from domain.widget.errors import SessionUnknown, TooManyCodes
from domain.widget.widget_session import VerifiedBy, WidgetSession, may_begin
from services.core.unit_of_work import UnitOfWork
from store.identity.mailed_codes import NOTHING, MailedCodeRepository, NewMailedCode
from store.widget.session_messages import SessionMessageRepository
from store.widget.visitor_sessions import WidgetSessionRepository


@dataclass(frozen=True, slots=True)
class VisitorCodeWanted:
    """A visitor's request for a code to an `email` validated by `domain/identity/address.py`.
    Without `language`, the session's language is used, or else French. The code is derived from the
    random `number`, below NUMBERS."""

    session_id: str
    email: str
    language: str | None
    network: str
    number: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class VerifiedVisitor:
    """A verified visitor. `session_id` is the widget session that is now verified, which may be a
    new one."""

    session_id: str
    email: str


async def make_visitor_code(work: UnitOfWork, wanted: VisitorCodeWanted, sealer: Sealer) -> str:
    """Store a visitor's code for any address, and return its id for the email. A code beyond the
    limits of `domain/identity/mailed_code.py` is never sent.

    Both cases take the same work and count toward the limits, so the response reveals nothing about
    the address. Raises TooManyCodes, and SessionUnknown for an ended session.
    """
    codes = MailedCodeRepository(work.connection, work.tenant, CodePlace.WIDGET)
    sessions = WidgetSessionRepository(work.connection, work.tenant)
    session = await sessions.find(wanted.session_id, work.now)
    if session is None and not may_begin(wanted.session_id, work.now):
        raise SessionUnknown
    made = await codes.made(wanted.session_id, wanted.email, wanted.network, work.now)
    wait_s = made.wait_s(work.now)
    if wait_s is not None:
        raise TooManyCodes(wait_s)
    language = wanted.language or (session.language if session is not None else "fr")
    await sessions.open(wanted.session_id, language, work.now)
    code_id, code = work.new_id(), made.text_of_next(wanted.number)
    digest = mailed_code_digest(sealer, CodePlace.WIDGET, work.tenant, code_id, code)
    sealed, is_mailed = sealer.seal(code), made.next_kind is not CodeKind.HELD_BACK
    await codes.create(
        NewMailedCode(
            id=code_id,
            place_id=wanted.session_id,
            email=wanted.email,
            requester=wanted.network,
            language=language,
            digest=digest if is_mailed else NOTHING,
            sealed_code=sealed if is_mailed else None,
            is_shared=made.next_kind is CodeKind.SHARED,
        ),
        work.now,
    )
    return code_id


async def enter_visitor_code(
    work: UnitOfWork, session_id: str, code: str, sealer: Sealer
) -> VerifiedVisitor | None:
    """Verify the visitor of a widget session with a code. Return None for a wrong, used, expired or
    foreign code.

    The attempt still counts, so the caller must commit. If the session belongs to another visitor,
    a new one is opened.
    """
    sessions = WidgetSessionRepository(work.connection, work.tenant)
    session = await sessions.find(session_id, work.now)
    if session is None:
        return None
    codes = MailedCodeRepository(work.connection, work.tenant, CodePlace.WIDGET)
    tried = await codes.take_try(session_id, work.now)
    # A list is used instead of a generator, so that every code is compared and the response time
    # reveals nothing.
    right = [
        one.email
        for one in tried
        if is_mailed_code(
            sealer, CodePlace.WIDGET, work.tenant, one.code_id, presented=code, digest=one.digest
        )
    ]
    if not right:
        return None
    await codes.prove(session_id, tried, work.now)
    email = right[0]
    # `open` locks the session's row, so no other transaction can verify the session for another
    # address in the meantime.
    session = await sessions.open(session_id, session.language, work.now)
    if not _may_be_theirs(session, email):
        session = await sessions.open(work.new_id(), session.language, work.now)
    await sessions.verify(session.id, email, VerifiedBy.CODE, work.now)
    await SessionMessageRepository(work.connection, work.tenant).changed(session.id)
    return VerifiedVisitor(session.id, email)


def _may_be_theirs(session: WidgetSession, email: str) -> bool:
    """Return True if a code for this address is allowed to verify the widget session. If the
    merchant's signature verified the session, it can be used from the merchant's pages only while
    these pages sign the same user."""
    if session.verified_email is None:
        return True
    return session.verified_email == email and session.verified_by is VerifiedBy.CODE
