"""Opening, using and ending sessions. The work spans clients, as users do."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.errors import SessionNotFound
from domain.identity.session import Session, SessionKind, secret_digest, session_secret
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from store.identity.sessions import SessionRepository


@dataclass(frozen=True, slots=True)
class Visitor:
    """Where a request comes from: its network, and how the browser or program calls itself."""

    network: str
    agent: str


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """`secret` is handed over this once, and kept nowhere."""

    session: Session
    secret: str = field(repr=False)


async def open_session(
    work: UnitOfWork, user_id: str, kind: SessionKind, visitor: Visitor, random: bytes
) -> OpenedSession:
    """A session for a user who has just proved who they are, from SECRET_BYTES random bytes."""
    secret = session_secret(kind, random)
    digest = secret_digest(kind, secret)
    if digest is None:
        raise RuntimeError("a secret of ours has its shape")
    session = Session(
        work.new_id(), user_id, kind, visitor.network, visitor.agent, work.now, work.now
    )
    await SessionRepository(work.connection).create(session, digest)
    work.note(Actor.person(user_id, None), "session opened", session_id=session.id)
    return OpenedSession(session, secret)


async def find_session(
    connection: AsyncConnection, kind: SessionKind, secret: str, now: datetime
) -> Session | None:
    """The living session of a presented secret. The connection spans clients."""
    digest = secret_digest(kind, secret)
    return None if digest is None else await SessionRepository(connection).find(digest, now)


async def end_session(work: UnitOfWork, user_id: str, session_id: str) -> None:
    """Sign one out, at once. Raises SessionNotFound where the user has no such living session."""
    if not await SessionRepository(work.connection).end(user_id, work.now, session_id=session_id):
        raise SessionNotFound(session_id)
    work.note(Actor.person(user_id, None), "session ended", session_id=session_id)


async def end_sessions(work: UnitOfWork, user_id: str) -> int:
    """Sign a user out everywhere, at once. Returns of how many sessions."""
    ended = await SessionRepository(work.connection).end(user_id, work.now)
    work.note(Actor.person(user_id, None), "sessions ended", number=str(ended))
    return ended
