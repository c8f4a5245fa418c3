"""Codes that verify visitors' addresses, within a session of a client's widget."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.widget.visitor_code import DAY, HOUR, LIFETIME, TRIES, WRONG_A_DAY, RecentCodes
from store.core.repository import TenantRepository
from store.widget.tables import widget_codes, widget_sessions

_CODES: Final = widget_codes.c
NOTHING: Final = b""
"""The digest of a code that is held back."""
_IS_REAL: Final = _CODES.digest != NOTHING
_OF_SESSION: Final = sa.and_(
    widget_sessions.c.client_id == _CODES.client_id, widget_sessions.c.id == _CODES.session_id
)


@dataclass(frozen=True, slots=True)
class NewVisitorCode:
    """`email`: as `sign_in_address` writes it. `network`: where it was asked for from. `digest`,
    `sealed_code`: NOTHING and None of a code that is held back: nobody gets it, and no try is
    right."""

    id: str
    session_id: str
    email: str
    network: str
    digest: bytes = field(repr=False)
    sealed_code: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class TriedVisitorCode:
    """A living code that one more try was taken from."""

    id: str
    email: str
    digest: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class VisitorCodeToMail:
    """A living code that has not been mailed. `language`: of its session."""

    id: str
    email: str
    sealed_code: str = field(repr=False)
    language: str


class VisitorCodeRepository(TenantRepository):
    async def recent(self, session_id: str, email: str, now: datetime) -> RecentCodes:
        """What the limits count. No other code of the client is made until the transaction ends."""
        await self._lock(self._tenant)
        within_hour = _CODES.created_at > now - HOUR
        of_session = sa.and_(_CODES.session_id == session_id, within_hour)
        found = await self._connection.execute(
            sa.select(
                sa.func.count().filter(of_session),
                sa.func.count().filter(_CODES.email == email, _IS_REAL),
                sa.func.count().filter(within_hour, _IS_REAL),
                sa.func.min(_CODES.created_at).filter(of_session),
            ).where(_CODES.client_id == self._tenant, _CODES.created_at > now - DAY)
        )
        return RecentCodes(*found.one())

    async def create(self, code: NewVisitorCode, now: datetime) -> None:
        """Its session has its row."""
        await self._connection.execute(
            sa.insert(widget_codes).values(
                client_id=self._tenant,
                id=code.id,
                session_id=code.session_id,
                email=code.email,
                network=code.network,
                digest=code.digest,
                sealed_code=code.sealed_code,
                tries_left=TRIES,
                created_at=now,
            )
        )

    async def take_try(self, session_id: str, now: datetime) -> tuple[TriedVisitorCode, ...]:
        """The session's living codes, each with a try less; none where the client's codes have had
        as many wrong tries as they bear in a day.

        Other tries of the client wait until the transaction ends.
        """
        await self._lock(self._tenant)
        if await self._wrong(now) >= WRONG_A_DAY:
            return ()
        tried = await self._connection.execute(
            sa.update(widget_codes)
            .where(
                *self._unused(session_id),
                _IS_REAL,
                _CODES.tries_left > 0,
                _CODES.created_at > now - LIFETIME,
            )
            .values(tries_left=_CODES.tries_left - 1)
            .returning(_CODES.id, _CODES.email, _CODES.digest)
        )
        return tuple(TriedVisitorCode(*row) for row in tried)

    async def use_up(self, session_id: str, tried: Sequence[str], now: datetime) -> None:
        """One code was right: none of the session's codes is good any more. `tried`: the ids of
        those that it was compared with; that try was no wrong one."""
        was_tried = sa.cast(_CODES.id.in_(tried), sa.Integer)
        await self._connection.execute(
            sa.update(widget_codes)
            .where(*self._unused(session_id))
            .values(used_at=now, sealed_code=None, tries_left=_CODES.tries_left + was_tried)
        )

    async def to_mail(self, code_id: str, now: datetime) -> VisitorCodeToMail | None:
        """The code, locked, if it is still worth a mail."""
        found = await self._connection.execute(
            sa.select(_CODES.id, _CODES.email, _CODES.sealed_code, widget_sessions.c.language)
            .join_from(widget_codes, widget_sessions, _OF_SESSION)
            .where(
                _CODES.client_id == self._tenant,
                _CODES.id == code_id,
                _CODES.sealed_code.is_not(None),
                _CODES.used_at.is_(None),
                _CODES.created_at > now - LIFETIME,
            )
            .with_for_update(of=widget_codes)
        )
        row = found.one_or_none()
        return None if row is None else VisitorCodeToMail(*row)

    async def mailed(self, code_id: str) -> None:
        """Its mail is out, or never will be: the readable code is erased."""
        await self._connection.execute(
            sa.update(widget_codes)
            .where(_CODES.client_id == self._tenant, _CODES.id == code_id)
            .values(sealed_code=None)
        )

    async def _wrong(self, now: datetime) -> int:
        wrong = await self._connection.scalar(
            sa.select(sa.func.sum(TRIES - _CODES.tries_left)).where(
                _CODES.client_id == self._tenant, _CODES.created_at > now - DAY
            )
        )
        return int(wrong or 0)

    def _unused(self, session_id: str) -> tuple["sa.ColumnElement[bool]", ...]:
        return (
            _CODES.client_id == self._tenant,
            _CODES.session_id == session_id,
            _CODES.used_at.is_(None),
        )

    async def _lock(self, whose: str) -> None:
        name = f"widget codes/{whose}"
        await self._connection.execute(
            sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
        )
