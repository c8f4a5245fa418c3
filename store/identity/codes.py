"""Sign-in codes. They span clients: an address comes before any client is known."""

from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.code import CODES_A_DAY, DAY, LIFETIME, TRIES
from store.identity.tables import sign_in_codes


@dataclass(frozen=True, slots=True)
class NewCode:
    """`email`: as `sign_in_address` writes it. `brand_name`: of the shop that it may open."""

    id: str
    email: str
    digest: bytes = field(repr=False)
    sealed_code: str = field(repr=False)
    brand_name: str | None
    language: str


@dataclass(frozen=True, slots=True)
class TriedCode:
    """A living code that one more try was taken from."""

    id: str
    digest: bytes = field(repr=False)
    brand_name: str | None


@dataclass(frozen=True, slots=True)
class CodeToMail:
    """A living code that has not been mailed."""

    id: str
    email: str
    sealed_code: str = field(repr=False)
    brand_name: str | None
    language: str


class CodeRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(self, code: NewCode, now: datetime) -> bool:
        """Store a code; False, and nothing, where the address had as many as it gets in a day."""
        await self._lock(code.email)
        made = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                sign_in_codes.c.email == code.email, sign_in_codes.c.created_at > now - DAY
            )
        )
        if made is None or made >= CODES_A_DAY:
            return False
        await self._connection.execute(
            sa.insert(sign_in_codes).values(
                id=code.id,
                email=code.email,
                digest=code.digest,
                sealed_code=code.sealed_code,
                brand_name=code.brand_name,
                language=code.language,
                tries_left=TRIES,
                created_at=now,
            )
        )
        return True

    async def take_try(self, email: str, now: datetime) -> tuple[TriedCode, ...]:
        """The address's living codes, the newest first, each with a try less.

        Other requests about this address wait until the transaction ends.
        """
        await self._lock(email)
        codes = sign_in_codes.c
        rows = await self._connection.execute(
            sa.update(sign_in_codes)
            .where(
                codes.email == email,
                codes.used_at.is_(None),
                codes.tries_left > 0,
                codes.created_at > now - LIFETIME,
            )
            .values(tries_left=codes.tries_left - 1)
            .returning(codes.id, codes.digest, codes.brand_name, codes.created_at)
        )
        newest_first = sorted(rows, key=lambda row: (row.created_at, row.id), reverse=True)
        return tuple(TriedCode(row.id, row.digest, row.brand_name) for row in newest_first)

    async def use_up(self, email: str, now: datetime) -> None:
        """One code was right: none of the address's codes is good any more."""
        await self._connection.execute(
            sa.update(sign_in_codes)
            .where(sign_in_codes.c.email == email, sign_in_codes.c.used_at.is_(None))
            .values(used_at=now, sealed_code=None)
        )

    async def to_mail(self, code_id: str, now: datetime) -> CodeToMail | None:
        """The code, locked, if it is still worth a mail."""
        codes = sign_in_codes.c
        rows = await self._connection.execute(
            sa.select(codes.id, codes.email, codes.sealed_code, codes.brand_name, codes.language)
            .where(
                codes.id == code_id,
                codes.sealed_code.is_not(None),
                codes.used_at.is_(None),
                codes.created_at > now - LIFETIME,
            )
            .with_for_update()
        )
        row = rows.one_or_none()
        return None if row is None else CodeToMail(*row)

    async def opens_account(self, code_id: str, since: datetime, at_most: int) -> bool:
        """Let a code open an account, unless as many do that were made since then; say whether.

        Asking again for the same code changes nothing.
        """
        codes = sign_in_codes.c
        await self._lock("accounts opened")
        others = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                codes.opens_account, codes.created_at > since, codes.id != code_id
            )
        )
        if others is None or others >= at_most:
            return False
        await self._connection.execute(
            sa.update(sign_in_codes).where(codes.id == code_id).values(opens_account=True)
        )
        return True

    async def mailed(self, code_id: str) -> None:
        """Its mail is out, or never will be: nobody needs to read the code again."""
        await self._connection.execute(
            sa.update(sign_in_codes).where(sign_in_codes.c.id == code_id).values(sealed_code=None)
        )

    async def _lock(self, name: str) -> None:
        await self._connection.execute(
            sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
        )
