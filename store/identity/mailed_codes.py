"""Mailed codes that verify email addresses. Each code is valid in one ticket thread or one widget
session."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.identity.mailed_code import (
    DAY,
    HOUR,
    PROOF_LASTS,
    TRIES,
    CodePlace,
    MailedCodes,
    lifetime_of,
)
from domain.runs.conversation import memory_key_of
from store.core.repository import TenantRepository
from store.identity.tables import address_codes
from store.runs.tables import ai_conversations
from store.widget.tables import widget_codes

NOTHING: Final = b""
"""The digest of a code that was withheld, that is, never emailed. No entered code matches this
digest."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """The table for one kind of code (widget or ticket), and the columns whose names differ between
    the two tables."""

    table: sa.Table
    place: str
    requester: str


_COLUMNS: Final = {
    CodePlace.WIDGET: _Columns(widget_codes, "session_id", "network"),
    CodePlace.TICKET: _Columns(address_codes, "conversation_id", "requester"),
}


@dataclass(frozen=True, slots=True)
class NewMailedCode:
    """A code to store. `place_id` is the widget session or conversation in which it is valid, and
    `email` the address as written there. `question_id` is the event to answer once a ticket's code
    is entered. A withheld code has the `digest` NOTHING and no `sealed_code`."""

    id: str
    place_id: str
    email: str
    requester: str
    language: str
    digest: bytes = field(repr=False)
    sealed_code: str | None = field(repr=False)
    is_shared: bool = False
    question_id: str | None = None


@dataclass(frozen=True, slots=True)
class TriedMailedCode:
    """A valid code, after one attempt has been used.

    `id` is the record in this session or conversation. `code_id` is the record with the code, a
    different one for a shared code. `question_id` is the event to answer once a ticket's code is
    entered.
    """

    id: str
    code_id: str
    email: str
    question_id: str
    digest: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MailedCodeToSend:
    id: str
    email: str
    language: str
    is_shared: bool
    sealed_code: str = field(repr=False)


class MailedCodeRepository(TenantRepository):
    """The codes of one kind: widget or ticket."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId, place: CodePlace) -> None:
        super().__init__(connection, tenant)
        self._kind = place
        names = _COLUMNS[place]
        self._table, self._codes = names.table, names.table.c
        self._names = names
        self._place = self._codes[names.place]
        self._requester = self._codes[names.requester]
        self._is_real = self._codes.digest != NOTHING

    async def made(self, place_id: str, email: str, requester: str, now: datetime) -> MailedCodes:
        """Return the numbers of existing codes, which the caller compares with the limits. Other
        transactions that create codes for the client wait until this transaction ends."""
        await self._lock("")
        codes, count, real = self._codes, sa.func.count(), self._is_real
        here, lately = self._place == place_id, codes.created_at > now - HOUR
        own = sa.and_(real, codes.email == email, ~codes.is_shared)
        found = await self._connection.execute(
            sa.select(
                count.filter(here, lately),
                sa.func.min(codes.created_at).filter(here, lately),
                count.filter(real, here, lately),
                count.filter(real, codes.email == email, codes.is_shared, lately),
                count.filter(real, self._requester == requester, lately),
                count.filter(real, lately),
                count.filter(own, here),
                count.filter(own, self._requester == requester),
                count.filter(own),
                sa.func.coalesce(sa.func.sum(TRIES - codes.tries_left), 0),
                sa.exists().where(
                    ai_conversations.c.client_id == self._tenant,
                    ai_conversations.c.memory_key == memory_key_of(email, verified=True),
                ),
            ).where(codes.client_id == self._tenant, codes.created_at > now - DAY)
        )
        return MailedCodes(*found.one())

    async def create(self, code: NewMailedCode, now: datetime) -> bool:
        """Store a code for an existing session or conversation. Return False if its id already
        exists."""
        values = {
            "client_id": self._tenant,
            "id": code.id,
            self._names.place: code.place_id,
            self._names.requester: code.requester,
            "email": code.email,
            "language": code.language,
            "digest": code.digest,
            "sealed_code": code.sealed_code,
            "is_shared": code.is_shared,
            "tries_left": TRIES,
            "created_at": now,
        }
        if code.question_id is not None:
            values["question_id"] = code.question_id
        made = await self._connection.execute(
            insert(self._table).values(values).on_conflict_do_nothing()
        )
        return made.rowcount == 1

    async def take_try(self, place_id: str, now: datetime) -> tuple[TriedMailedCode, ...]:
        """Use one attempt for each valid code in the session or conversation, and return these
        codes.

        Shared codes for the address replace withheld ones. Other attempts there wait until the
        transaction ends.
        """
        await self._lock(place_id)
        codes = self._codes
        question = codes.get("question_id", sa.literal(""))
        tried = await self._connection.execute(
            sa.update(self._table)
            .where(*self._unused(place_id), codes.tries_left > 0, self._is_valid(now))
            .values(tries_left=codes.tries_left - 1)
            .returning(codes.id, codes.id, codes.email, question, codes.digest)
        )
        rows = [TriedMailedCode(*row) for row in tried]
        held_back = {row.email: row for row in rows if row.digest == NOTHING}
        shared = await self._connection.execute(
            sa.select(codes.id, codes.email, codes.digest).where(
                codes.client_id == self._tenant,
                codes.email.in_(held_back),
                codes.is_shared,
                self._is_real,
                self._is_valid(now),
            )
        )
        others = [
            TriedMailedCode(
                held_back[email].id, code_id, email, held_back[email].question_id, digest
            )
            for code_id, email, digest in shared
        ]
        return (*(row for row in rows if row.digest != NOTHING), *others)

    async def prove(self, place_id: str, tried: Sequence[TriedMailedCode], now: datetime) -> None:
        """Invalidate all codes in the session or conversation after the correct one was entered.
        `tried` are the codes compared, for which this attempt does not count as failed."""
        was_tried = sa.cast(self._codes.id.in_({one.id for one in tried}), sa.Integer)
        await self._connection.execute(
            sa.update(self._table)
            .where(*self._unused(place_id))
            .values(
                used_at=now,
                sealed_code=None,
                tries_left=self._codes.tries_left + was_tried,
                **({"proved_at": now} if "proved_at" in self._codes else {}),
            )
        )

    async def question(self, place_id: str, email: str) -> str | None:
        """Return the event for which the latest code in a ticket thread was requested, or None."""
        found: str | None = await self._connection.scalar(
            sa.select(address_codes.c.question_id)
            .where(*self._of_thread(place_id, email))
            .order_by(address_codes.c.created_at.desc(), address_codes.c.id.desc())
            .limit(1)
        )
        return found

    async def is_proved(self, place_id: str, email: str, now: datetime) -> bool:
        """Return whether the address was verified in a ticket thread and the verification is still
        valid."""
        found = await self._connection.scalar(
            sa.select(sa.literal(1))
            .where(
                *self._of_thread(place_id, email),
                address_codes.c.proved_at > now - PROOF_LASTS,
            )
            .limit(1)
        )
        return found is not None

    async def to_mail(self, code_id: str, now: datetime) -> MailedCodeToSend | None:
        """Return a code that still has to be sent, and lock its row. Return None if there is no
        such code."""
        codes = self._codes
        found = await self._connection.execute(
            sa.select(
                codes.id,
                codes.email,
                sa.func.coalesce(codes.language, "fr"),
                codes.is_shared,
                codes.sealed_code,
            )
            .where(
                codes.client_id == self._tenant,
                codes.id == code_id,
                codes.sealed_code.is_not(None),
                codes.used_at.is_(None),
                self._is_valid(now),
            )
            .with_for_update()
        )
        row = found.one_or_none()
        return None if row is None else MailedCodeToSend(*row)

    async def mailed(self, code_id: str) -> None:
        """Erase the readable form of a code that was emailed, or that will never be emailed."""
        await self._connection.execute(
            sa.update(self._table)
            .where(self._codes.client_id == self._tenant, self._codes.id == code_id)
            .values(sealed_code=None)
        )

    def _is_valid(self, now: datetime) -> "sa.ColumnElement[bool]":
        own, shared = (now - lifetime_of(self._kind, is_shared=one) for one in (False, True))
        made = self._codes.created_at
        return sa.or_(made > own, sa.and_(self._codes.is_shared, made > shared))

    def _unused(self, place_id: str) -> tuple["sa.ColumnElement[bool]", ...]:
        return (
            self._codes.client_id == self._tenant,
            self._place == place_id,
            self._codes.used_at.is_(None),
        )

    def _of_thread(self, place_id: str, email: str) -> tuple["sa.ColumnElement[bool]", ...]:
        return (
            address_codes.c.client_id == self._tenant,
            address_codes.c.conversation_id == place_id,
            address_codes.c.email == email,
        )

    async def _lock(self, place_id: str) -> None:
        name = f"{self._kind} codes/{self._tenant}/{place_id}"
        await self._connection.execute(
            sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
        )
