"""Codes that prove the addresses of tickets' authors, each within its thread."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.runs.address_code import (
    DAY,
    HOUR,
    LIFETIME,
    PROOF_LASTS,
    TRIES,
    WRONG_A_DAY,
    RecentAddressCodes,
)
from store.core.repository import TenantRepository
from store.identity.tables import address_codes

_CODES: Final = address_codes.c
NOTHING: Final = b""
"""The digest of a code that is held back: no mail brings it, and no try is right."""
_IS_REAL: Final = _CODES.digest != NOTHING


@dataclass(frozen=True, slots=True)
class NewAddressCode:
    """`id`: of the run whose answer asks for the code. `question_id`: the event that is answered
    once the code is typed. `email`: as `customer_key` spells it."""

    id: str
    conversation_id: str
    question_id: str
    email: str
    language: str
    digest: bytes = field(repr=False)
    sealed_code: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class TriedAddressCode:
    """A living code that one more try was taken from."""

    id: str
    question_id: str
    digest: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AddressCodeToMail:
    id: str
    email: str
    language: str
    sealed_code: str = field(repr=False)


class AddressCodeRepository(TenantRepository):
    async def recent(self, conversation_id: str, email: str, now: datetime) -> RecentAddressCodes:
        """What the limits count. Other codes of the client wait until the transaction ends."""
        await self._lock()
        within_hour = _CODES.created_at > now - HOUR
        found = await self._connection.execute(
            sa.select(
                sa.func.count().filter(_CODES.conversation_id == conversation_id, within_hour),
                sa.func.count().filter(_CODES.email == email),
                sa.func.count().filter(within_hour),
            ).where(_CODES.client_id == self._tenant, _IS_REAL, _CODES.created_at > now - DAY)
        )
        return RecentAddressCodes(*found.one())

    async def create(self, code: NewAddressCode, now: datetime) -> bool:
        """Store the code; False if its run has one already."""
        made = await self._connection.execute(
            insert(address_codes)
            .values(
                client_id=self._tenant,
                id=code.id,
                conversation_id=code.conversation_id,
                question_id=code.question_id,
                email=code.email,
                language=code.language,
                digest=code.digest,
                sealed_code=code.sealed_code,
                tries_left=TRIES,
                created_at=now,
            )
            .on_conflict_do_nothing()
        )
        return made.rowcount == 1

    async def question(self, conversation_id: str, email: str) -> str | None:
        """The event that the thread's latest code was asked for; None if it never had one."""
        found: str | None = await self._connection.scalar(
            sa.select(_CODES.question_id)
            .where(*self._of_thread(conversation_id, email))
            .order_by(_CODES.created_at.desc(), _CODES.id.desc())
            .limit(1)
        )
        return found

    async def is_proved(self, conversation_id: str, email: str, now: datetime) -> bool:
        """Whether the address was proved in the thread, and still is."""
        found = await self._connection.scalar(
            sa.select(sa.literal(1))
            .where(*self._of_thread(conversation_id, email), _CODES.proved_at > now - PROOF_LASTS)
            .limit(1)
        )
        return found is not None

    async def take_try(
        self, conversation_id: str, email: str, now: datetime
    ) -> tuple[TriedAddressCode, ...]:
        """The thread's living codes, each with a try less; none where the client's codes have had
        as many wrong tries as they bear in a day."""
        await self._lock()
        if await self._wrong(now) >= WRONG_A_DAY:
            return ()
        tried = await self._connection.execute(
            sa.update(address_codes)
            .where(
                *self._of_thread(conversation_id, email),
                _IS_REAL,
                _CODES.used_at.is_(None),
                _CODES.tries_left > 0,
                _CODES.created_at > now - LIFETIME,
            )
            .values(tries_left=_CODES.tries_left - 1)
            .returning(_CODES.id, _CODES.question_id, _CODES.digest)
        )
        return tuple(TriedAddressCode(*row) for row in tried)

    async def prove(
        self, conversation_id: str, email: str, code_id: str, tried: Sequence[str], now: datetime
    ) -> None:
        """The code was right: it proves the address, and none of the thread's codes is good any
        more. `tried`: the codes that it was compared with; that try was no wrong one."""
        was_tried = sa.cast(_CODES.id.in_(tried), sa.Integer)
        await self._connection.execute(
            sa.update(address_codes)
            .where(*self._of_thread(conversation_id, email), _CODES.used_at.is_(None))
            .values(
                used_at=now,
                proved_at=sa.case((_CODES.id == code_id, now), else_=sa.null()),
                sealed_code=None,
                tries_left=_CODES.tries_left + was_tried,
            )
        )

    async def to_mail(self, code_id: str, now: datetime) -> AddressCodeToMail | None:
        """The code, locked, if it is still worth a mail."""
        found = await self._connection.execute(
            sa.select(_CODES.id, _CODES.email, _CODES.language, _CODES.sealed_code)
            .where(
                _CODES.client_id == self._tenant,
                _CODES.id == code_id,
                _CODES.sealed_code.is_not(None),
                _CODES.used_at.is_(None),
                _CODES.created_at > now - LIFETIME,
            )
            .with_for_update()
        )
        row = found.one_or_none()
        return None if row is None else AddressCodeToMail(*row)

    async def mailed(self, code_id: str) -> None:
        """Its mail is out, or never will be: the readable code is erased."""
        await self._connection.execute(
            sa.update(address_codes)
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

    def _of_thread(self, conversation_id: str, email: str) -> tuple["sa.ColumnElement[bool]", ...]:
        return (
            _CODES.client_id == self._tenant,
            _CODES.conversation_id == conversation_id,
            _CODES.email == email,
        )

    async def _lock(self) -> None:
        name = f"address codes/{self._tenant}"
        await self._connection.execute(
            sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
        )
