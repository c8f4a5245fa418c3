"""Invitations of users to clients. The list of all invitations to one address spans clients."""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.identity.code import DAY
from domain.identity.errors import InvitationNotFound
from domain.identity.invitation import Invitation, ReceivedInvitation
from domain.tenants.client import Role
from store.core.repository import owner_of
from store.identity.tables import invitations
from store.tenants.tables import clients, users

_SHOWN: Final = (
    invitations.c.id,
    invitations.c.email,
    invitations.c.role,
    invitations.c.invited_by,
    invitations.c.language,
    invitations.c.created_at,
    invitations.c.expires_at,
    invitations.c.inviter_role,
)


def _open(now: datetime) -> tuple["sa.ColumnElement[bool]", ...]:
    return (
        invitations.c.accepted_at.is_(None),
        invitations.c.withdrawn_at.is_(None),
        invitations.c.declined_at.is_(None),
        invitations.c.expires_at > now,
    )


class InvitationRepository:
    """The invitations that one client has sent."""

    def __init__(self, connection: AsyncConnection, client_id: str) -> None:
        self._connection = connection
        self._client_id = client_id

    async def create(self, invitation: Invitation) -> None:
        """Store an invitation. It replaces the client's open invitation to the same address, if
        any."""
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
                inviter_role=invitation.inviter_role,
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
        """Return the open invitations of the client, newest first."""
        rows = await self._connection.execute(
            sa.select(*_SHOWN)
            .where(invitations.c.client_id == self._client_id, *_open(now))
            .order_by(invitations.c.created_at.desc(), invitations.c.id.desc())
        )
        return tuple(map(_invitation, rows))

    async def find(self, invitation_id: str, now: datetime) -> Invitation | None:
        """Return an open invitation of the client, or None."""
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
        """Withdraw an open invitation. Return False if there is no such invitation."""
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

    async def answer(
        self, invitation_id: str, email: str, now: datetime, *, accepted: bool
    ) -> Invitation | None:
        """Record the invited user's answer to an open invitation, and return the invitation. An
        invitation can be answered only once."""
        column = invitations.c.accepted_at if accepted else invitations.c.declined_at
        rows = await self._connection.execute(
            sa.update(invitations)
            .where(
                invitations.c.client_id == self._client_id,
                invitations.c.id == invitation_id,
                invitations.c.email == email,
                *_open(now),
            )
            .values({column: now})
            .returning(*_SHOWN)
        )
        row = rows.one_or_none()
        return None if row is None else _invitation(row)

    async def withdraw_of(self, user_id: str, now: datetime) -> tuple[str, ...]:
        """Withdraw the open invitations that a user sent, and return their ids."""
        gone = await self._connection.scalars(
            sa.update(invitations)
            .where(
                invitations.c.client_id == self._client_id,
                invitations.c.invited_by == user_id,
                *_open(now),
            )
            .values(withdrawn_at=now)
            .returning(invitations.c.id)
        )
        return tuple(gone)


async def is_invited(connection: AsyncConnection, email: str, now: datetime) -> bool:
    """Return whether the address has an open invitation from any client."""
    found = await connection.scalar(
        sa.select(invitations.c.id).where(invitations.c.email == email, *_open(now)).limit(1)
    )
    return found is not None


async def invitations_of(
    connection: AsyncConnection, email: str, now: datetime
) -> tuple[ReceivedInvitation, ...]:
    """Return the open invitations to an address, oldest first, across clients. Invitations of
    clients that are being erased are omitted."""
    rows = await connection.execute(
        sa.select(
            invitations.c.id,
            invitations.c.client_id,
            clients.c.brand_name,
            invitations.c.role,
            users.c.email.label("inviter_email"),
            invitations.c.created_at,
            invitations.c.expires_at,
        )
        .join(clients, clients.c.id == invitations.c.client_id)
        .outerjoin(users, users.c.id == invitations.c.invited_by)
        .where(invitations.c.email == email, clients.c.closed_at.is_(None), *_open(now))
        .order_by(invitations.c.created_at, invitations.c.id)
    )
    return tuple(
        ReceivedInvitation(
            row.id,
            row.client_id,
            row.brand_name,
            Role(row.role),
            row.inviter_email,
            row.created_at,
            row.expires_at,
        )
        for row in rows
    )


client_of: Final = owner_of(invitations, InvitationNotFound)


def _invitation(row: "sa.Row[*tuple[Any, ...]]") -> Invitation:
    return Invitation(
        row.id,
        row.email,
        Role(row.role),
        row.invited_by,
        row.language,
        row.created_at,
        row.expires_at,
        None if row.inviter_role is None else Role(row.inviter_role),
    )
