"""Invitations. They span clients where somebody signs in who was invited."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.code import DAY
from domain.identity.invitation import Invitation
from domain.tenants.client import Role
from store.identity.tables import invitations
from store.tenants.tables import clients

_SHOWN: Final = (
    invitations.c.id,
    invitations.c.email,
    invitations.c.role,
    invitations.c.invited_by,
    invitations.c.language,
    invitations.c.created_at,
    invitations.c.expires_at,
)


def _open(now: datetime) -> tuple["sa.ColumnElement[bool]", ...]:
    return (
        invitations.c.accepted_at.is_(None),
        invitations.c.withdrawn_at.is_(None),
        invitations.c.expires_at > now,
    )


class InvitationRepository:
    """Of one client."""

    def __init__(self, connection: AsyncConnection, client_id: str) -> None:
        self._connection = connection
        self._client_id = client_id

    async def create(self, invitation: Invitation) -> None:
        """Store it, in the place of an open one of the same address."""
        await self._connection.execute(
            sa.update(invitations)
            .where(
                invitations.c.client_id == self._client_id,
                invitations.c.email == invitation.email,
                *_open(invitation.created_at),
            )
            .values(withdrawn_at=invitation.created_at)
        )
        await self._connection.execute(
            sa.insert(invitations).values(
                client_id=self._client_id,
                id=invitation.id,
                email=invitation.email,
                role=invitation.role,
                invited_by=invitation.invited_by,
                language=invitation.language,
                created_at=invitation.created_at,
                expires_at=invitation.expires_at,
            )
        )

    async def made_within_a_day(self, now: datetime) -> int:
        made = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                invitations.c.client_id == self._client_id, invitations.c.created_at > now - DAY
            )
        )
        return int(made or 0)

    async def open(self, now: datetime) -> tuple[Invitation, ...]:
        """Those that can be accepted, the newest first."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(invitations.c.client_id == self._client_id, *_open(now))
            .order_by(invitations.c.created_at.desc(), invitations.c.id.desc())
        )
        return tuple(map(_invitation, rows))

    async def find(self, invitation_id: str, now: datetime) -> Invitation | None:
        """An open one."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN).where(
                invitations.c.client_id == self._client_id,
                invitations.c.id == invitation_id,
                *_open(now),
            )
        )
        row = rows.one_or_none()
        return None if row is None else _invitation(row)

    async def withdraw(self, invitation_id: str, now: datetime) -> bool:
        """Whether there was an open one."""
        gone = await self._connection.execute(
            sa.update(invitations)
            .where(
                invitations.c.client_id == self._client_id,
                invitations.c.id == invitation_id,
                *_open(now),
            )
            .values(withdrawn_at=now)
        )
        return gone.rowcount > 0


async def is_invited(connection: AsyncConnection, email: str, now: datetime) -> bool:
    """Whether the address has an open invitation of any client."""
    found = await connection.scalar(
        sa.select(invitations.c.id).where(invitations.c.email == email, *_open(now)).limit(1)
    )
    return found is not None


async def accept_all(
    connection: AsyncConnection, email: str, now: datetime
) -> Sequence[tuple[str, Invitation]]:
    """Accept the open invitations of an address, the oldest first; each with its client's id.
    Those of clients that are being erased are none."""
    rows = await connection.execute(
        sa.update(invitations)
        .where(
            invitations.c.email == email,
            *_open(now),
            sa.exists().where(
                clients.c.id == invitations.c.client_id, clients.c.closed_at.is_(None)
            ),
        )
        .values(accepted_at=now)
        .returning(invitations.c.client_id, *_SHOWN)
    )
    accepted = [(str(row.client_id), _invitation(row)) for row in rows]
    return sorted(accepted, key=lambda one: (one[1].created_at, one[1].id))


def _invitation(row: "sa.Row[*tuple[Any, ...]]") -> Invitation:
    return Invitation(
        row.id,
        row.email,
        Role(row.role),
        row.invited_by,
        row.language,
        row.created_at,
        row.expires_at,
    )
