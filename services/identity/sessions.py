"""Sign-in sessions: how they are opened, used and ended. The unit of work spans clients because
users do not belong to a client."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ports import Sealer
from domain.identity.errors import SessionNotFound
from domain.identity.session import (
    Session,
    SessionKind,
    family_digest,
    following_token,
    secret_digest,
    session_secret,
)
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from store.identity.sessions import SessionRepository

# The grace period after a refresh token is replaced. Until it ends, the old token gets the same
# response again, because the first response may have been lost.
GRACE: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Visitor:
    """The origin of a request: the IP network, and the browser's or program's user agent."""

    network: str
    agent: str


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A new session. `secret` is the session's secret, which is not stored and is returned only
    once."""

    session: Session
    secret: str = field(repr=False)


async def open_session(
    work: UnitOfWork, user_id: str, kind: SessionKind, visitor: Visitor, random: bytes
) -> OpenedSession:
    """Open a session for a user who has just signed in. The secret is derived from SECRET_BYTES
    random bytes."""
    secret = session_secret(kind, random)
    digest = secret_digest(kind, secret)
    if digest is None:
        raise RuntimeError("a secret of ours has its shape")
    session = Session(
        work.new_id(), user_id, kind, visitor.network, visitor.agent, work.now, work.now
    )
    family = family_digest(secret) if kind is SessionKind.REFRESH else None
    await SessionRepository(work.connection).create(session, digest, family)
    person = Actor.person(user_id, None, network=visitor.network)
    work.note(person, "session opened", session_id=session.id)
    return OpenedSession(session, secret)


async def find_session(
    connection: AsyncConnection, kind: SessionKind, secret: str, now: datetime
) -> Session | None:
    """Return the active session with the presented secret, or None. Requires a connection that
    spans clients."""
    digest = secret_digest(kind, secret)
    return None if digest is None else await SessionRepository(connection).find(digest, now)


async def renew_session(work: UnitOfWork, secret: str, sealer: Sealer) -> OpenedSession | None:
    """Replace a refresh token by one derived from it and the service's key. Return None if it is
    invalid.

    Within GRACE, repeated requests get the same token, because a response may be lost, or two
    threads may refresh. A token used after GRACE, or after its successor was replaced, counts as
    stolen and ends the session.
    """
    presented = secret_digest(SessionKind.REFRESH, secret)
    if presented is None:
        return None
    # The first token in the list is derived with the current key. The others are derived with
    # earlier keys.
    following = [
        following_token(secret, random) for random in sealer.digests(f"refresh token/{secret}")
    ]
    replacements = [secret_digest(SessionKind.REFRESH, one) for one in following]
    if replacements[0] is None:
        raise RuntimeError("a secret of ours has its shape")
    repository = SessionRepository(work.connection)
    session = await repository.replace(presented, replacements[0], work.now)
    if session is not None:
        return OpenedSession(session, following[0])
    found = await repository.of_family(family_digest(secret), work.now)
    if found is None:
        return None
    replayed, current = found
    if current in replacements and work.now - replayed.used_at <= GRACE:
        return OpenedSession(replayed, following[replacements.index(current)])
    await repository.end(replayed.user_id, work.now, session_id=replayed.id)
    system = Actor.system("sign-in")
    work.note(system, "session ended for theft", session_id=replayed.id, user_id=replayed.user_id)
    return None


async def see_session(work: UnitOfWork, session: Session) -> None:
    """Set the time of a session's last use to now."""
    await SessionRepository(work.connection).seen(session.id, work.now)


async def end_session(
    work: UnitOfWork, user_id: str, session_id: str, *, network: str | None = None
) -> None:
    """End one session of a user immediately. `network` is the client's IP network. Raises
    SessionNotFound without such an active session."""
    if not await SessionRepository(work.connection).end(user_id, work.now, session_id=session_id):
        raise SessionNotFound(session_id)
    person = Actor.person(user_id, None, network=network)
    work.note(person, "session ended", session_id=session_id)


async def end_sessions(work: UnitOfWork, user_id: str, *, network: str | None = None) -> int:
    """End all sessions of a user immediately, and return the number of ended sessions."""
    ended = await SessionRepository(work.connection).end(user_id, work.now)
    person = Actor.person(user_id, None, network=network)
    work.note(person, "sessions ended", number=str(ended))
    return ended
