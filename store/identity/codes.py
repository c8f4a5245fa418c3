"""Sign-in codes. The queries span clients because the client is not yet known when a user requests
a code."""

from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.code import (
    DAY,
    HOUR,
    LIFETIME,
    CodesMade,
    tries_of_next,
)
from store.identity.tables import sessions, sign_in_codes
from store.tenants.tables import users


@dataclass(frozen=True, slots=True)
class NewCode:
    """A sign-in code to store. `email` is the result of `sign_in_address`. `brand_name` is the shop
    to create with the code, or None. `network` is the client's IP network."""

    id: str
    email: str
    digest: bytes = field(repr=False)
    sealed_code: str = field(repr=False)
    brand_name: str | None
    language: str
    network: str


@dataclass(frozen=True, slots=True)
class TriedCode:
    """A valid sign-in code, after one attempt has been used."""

    id: str
    digest: bytes = field(repr=False)
    brand_name: str | None


@dataclass(frozen=True, slots=True)
class CodeToMail:
    """A valid sign-in code that still has to be sent."""

    id: str
    email: str
    sealed_code: str = field(repr=False)
    brand_name: str | None
    language: str


class CodeRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self, code: NewCode, now: datetime, *, to_strangers: int, crowded: bool = False
    ) -> bool:
        """Store a sign-in code, and return whether it may be sent, as decided by `tries_of_next`.
        Otherwise, the code does not count and cannot be used. If `crowded` is true, it is not
        stored."""
        await self._lock(code.email)
        made = await self._made(code, now)
        tries = tries_of_next(made, to_strangers=to_strangers, crowded=crowded)
        admitted = tries is not None
        if crowded and not admitted:
            return False
        await self._connection.execute(
            sa.insert(sign_in_codes).values(
                id=code.id,
                email=code.email,
                digest=code.digest,
                sealed_code=code.sealed_code if admitted else None,
                brand_name=code.brand_name,
                language=code.language,
                network=code.network,
                admitted=admitted,
                tries_left=tries.at_home if tries else 0,
                tries_elsewhere=tries.elsewhere if tries else 0,
                created_at=now,
            )
        )
        return admitted

    async def _made(self, code: NewCode, now: datetime) -> CodesMade:
        codes = sign_in_codes.c
        user = sa.select(users.c.id).where(users.c.email == code.email).scalar_subquery()
        trusted = sa.select(sessions.c.network).where(sessions.c.user_id == user)
        is_stranger = sa.or_(codes.network.is_(None), codes.network.not_in(trusted))
        is_requester = codes.network == code.network
        is_recent = codes.created_at > now - HOUR
        count = sa.func.count()
        of_address = await self._connection.execute(
            sa.select(
                user.is_not(None).label("is_known"),
                sa.exists(trusted.where(sessions.c.network == code.network)).label("is_trusted"),
                count.filter(is_stranger).label("by_strangers"),
                count.filter(is_requester).label("by_requester"),
                count.filter(is_recent).label("within_hour"),
                count.filter(is_requester, is_recent).label("by_requester_within_hour"),
            )
            .select_from(sign_in_codes)
            .where(codes.email == code.email, codes.admitted, codes.created_at > now - DAY)
        )
        to_strangers = await self._connection.scalar(
            sa.select(count)
            .select_from(sign_in_codes)
            .where(
                is_requester,
                is_recent,
                codes.admitted,
                sa.not_(sa.exists().where(users.c.email == codes.email)),
            )
        )
        return CodesMade(*of_address.one(), to_strangers or 0)

    async def take_try(self, email: str, network: str, now: datetime) -> tuple[TriedCode, ...]:
        """Use up one attempt of each valid code for the address. Return these codes, newest first.

        Attempts from the requesting network are counted separately. Other requests for the address
        wait until the transaction ends.
        """
        await self._lock(email)
        codes = sign_in_codes.c
        at_home = codes.network.is_not_distinct_from(network)
        rows = await self._connection.execute(
            sa.update(sign_in_codes)
            .where(
                codes.email == email,
                codes.admitted,
                codes.used_at.is_(None),
                sa.case((at_home, codes.tries_left), else_=codes.tries_elsewhere) > 0,
                codes.created_at > now - LIFETIME,
            )
            .values(
                tries_left=codes.tries_left - sa.case((at_home, 1), else_=0),
                tries_elsewhere=codes.tries_elsewhere - sa.case((at_home, 0), else_=1),
            )
            .returning(codes.id, codes.digest, codes.brand_name, codes.created_at)
        )
        newest_first = sorted(rows, key=lambda row: (row.created_at, row.id), reverse=True)
        return tuple(TriedCode(row.id, row.digest, row.brand_name) for row in newest_first)

    async def use_up(self, email: str, now: datetime) -> None:
        """Invalidate all sign-in codes for the address because one of them was entered
        correctly."""
        await self._connection.execute(
            sa.update(sign_in_codes)
            .where(sign_in_codes.c.email == email, sign_in_codes.c.used_at.is_(None))
            .values(used_at=now, sealed_code=None)
        )

    async def to_mail(self, code_id: str, now: datetime) -> CodeToMail | None:
        """Return a sign-in code that still has to be sent, and lock its row. Return None if there
        is no such code."""
        codes = sign_in_codes.c
        rows = await self._connection.execute(
            sa.select(codes.id, codes.email, codes.sealed_code, codes.brand_name, codes.language)
            .where(
                codes.id == code_id,
                codes.sealed_code.is_not(None),
                codes.admitted,
                codes.used_at.is_(None),
                codes.created_at > now - LIFETIME,
            )
            .with_for_update()
        )
        row = rows.one_or_none()
        return None if row is None else CodeToMail(*row)

    async def mailed(self, code_id: str) -> None:
        """Erase the readable form of a sign-in code that was emailed, or that will never be
        emailed."""
        await self._connection.execute(
            sa.update(sign_in_codes).where(sign_in_codes.c.id == code_id).values(sealed_code=None)
        )

    async def _lock(self, name: str) -> None:
        await self._connection.execute(
            sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(name, 0)))
        )
