"""Users and their memberships in clients. The queries span tenants because users exist before their
tenant is known."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.errors import InvalidInput
from domain.tenants.client import Role
from domain.tenants.errors import ClientNotFound, MemberNotFound, OwnerStays
from domain.tenants.user import check_user_id
from store.tenants.tables import client_users, clients, users

_USER: "Final[sa.BindParameter[str]]" = sa.bindparam("user")
_CLIENT: "Final[sa.BindParameter[str]]" = sa.bindparam("client")

# A client that is being erased is treated as having no members.
_IS_OPEN: Final = clients.c.closed_at.is_(None)
# The owner in the client's own row takes precedence over the list of members.
_ROLE: Final = (
    sa.select(
        sa.case((clients.c.owner_user_id == _USER, Role.OWNER.value), else_=client_users.c.role)
    )
    .select_from(clients)
    .outerjoin(
        client_users,
        sa.and_(client_users.c.client_id == clients.c.id, client_users.c.user_id == _USER),
    )
    .where(clients.c.id == _CLIENT, _IS_OPEN)
)
_OWNED: Final = (
    sa.select(clients.c.id)
    .where(clients.c.owner_user_id == _USER, _IS_OPEN)
    .order_by(clients.c.created_at, clients.c.id)
    .limit(1)
)
_JOINED: Final = (
    sa.select(client_users.c.client_id)
    .join(clients, clients.c.id == client_users.c.client_id)
    .where(client_users.c.user_id == _USER, _IS_OPEN)
    .order_by(client_users.c.created_at, client_users.c.client_id)
    .limit(1)
)
_MEMBERS: Final = (
    sa.select(users.c.id, users.c.email, client_users.c.role, client_users.c.created_at)
    .join(client_users, client_users.c.user_id == users.c.id)
    .where(client_users.c.client_id == _CLIENT)
    .order_by(client_users.c.created_at, users.c.id)
)


@dataclass(frozen=True, slots=True)
class ClientMember:
    """A user who may act on behalf of a client, as owner or member."""

    user_id: str
    email: str
    role: Role
    since: datetime


class MemberRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def role(self, user_id: str, client_id: str) -> Role | None:
        """Return the user's role in the client, or None if the user is not a member."""
        role = await self._connection.scalar(_ROLE, {"user": user_id, "client": client_id})
        return None if role is None else Role(role)

    async def all(self, client_id: str) -> tuple[ClientMember, ...]:
        """Return the client's owner and members, oldest membership first."""
        rows = await self._connection.execute(_MEMBERS, {"client": client_id})
        return tuple(map(_member, rows))

    async def member(self, client_id: str, user_id: str) -> ClientMember:
        """Return a member. Raises MemberNotFound."""
        one = _MEMBERS.where(users.c.id == _USER)
        rows = await self._connection.execute(one, {"client": client_id, "user": user_id})
        row = rows.one_or_none()
        if row is None:
            raise MemberNotFound("the user is no member of this client")
        return _member(row)

    async def client_of(self, user_id: str) -> str | None:
        """Return the user's default client, or None. The default is the oldest client that the user
        owns, else the client that the user joined first. Clients that are being erased are
        ignored."""
        owned = await self._connection.scalar(_OWNED, {"user": user_id})
        return owned or await self._connection.scalar(_JOINED, {"user": user_id})

    async def find_user(self, user: str) -> str | None:
        """Return the id of the user with this id or email address, or None. Raises InvalidInput if
        two users match."""
        found = list(
            await self._connection.scalars(
                sa.select(users.c.id).where(
                    sa.or_(users.c.id == user, users.c.email == _address(user))
                )
            )
        )
        if len(found) > 1:
            raise InvalidInput("this is the id of one user and the mail address of another")
        return found[0] if found else None

    async def person(self, name: str) -> str:
        """Return the name under which a person is recorded. `name` is a user id or an email
        address.

        The address of a known user is replaced by the user's id, so that no person has two names.
        Raises InvalidInput.
        """
        return await self.find_user(name) or check_user_id(name)

    async def ensure_user(self, user_id: str, email: str, now: datetime) -> None:
        """Create the user, unless a user with both this id and this address exists. Raises
        InvalidInput if another user has the id or the address."""
        values = {"id": user_id, "email": _address(email)}
        await self._connection.execute(
            insert(users).values(**values, created_at=now).on_conflict_do_nothing()
        )
        known = sa.select(users.c.id).where(users.c.id == user_id, users.c.email == values["email"])
        if await self._connection.scalar(known) is None:
            raise InvalidInput("another user has this id or this mail address")

    async def verify_address(self, user_id: str, now: datetime) -> None:
        """Record that the user has just verified the email address. An earlier verification is
        kept."""
        await self._connection.execute(
            sa.update(users)
            .where(users.c.id == user_id, users.c.verified_at.is_(None))
            .values(verified_at=now)
        )

    async def add(self, client_id: str, user_id: str, role: Role, now: datetime) -> None:
        """Add a user to a client, or change a member's role. Raises ClientNotFound, OwnerStays."""
        await self._check_not_owner(client_id, user_id)
        await self._connection.execute(
            insert(client_users)
            .values(client_id=client_id, user_id=user_id, role=role, created_at=now)
            .on_conflict_do_update(index_elements=["client_id", "user_id"], set_={"role": role})
        )

    async def change_role(self, client_id: str, user_id: str, role: Role) -> ClientMember:
        """Change a member's role. Raises ClientNotFound, OwnerStays, MemberNotFound."""
        await self._check_not_owner(client_id, user_id)
        await self._connection.execute(
            sa.update(client_users)
            .where(client_users.c.client_id == client_id, client_users.c.user_id == user_id)
            .values(role=role)
        )
        return await self.member(client_id, user_id)

    async def remove(self, client_id: str, user_id: str) -> None:
        """End a membership immediately. Raises ClientNotFound, OwnerStays, MemberNotFound."""
        await self._check_not_owner(client_id, user_id)
        gone = await self._connection.execute(
            sa.delete(client_users).where(
                client_users.c.client_id == client_id, client_users.c.user_id == user_id
            )
        )
        if gone.rowcount == 0:
            raise MemberNotFound("the user is no member of this client")

    async def note_manager_left(self, client_id: str, now: datetime) -> None:
        """Record when the client last lost an owner or admin."""
        await self._connection.execute(
            sa.update(clients).where(clients.c.id == client_id).values(manager_left_at=now)
        )

    async def _check_not_owner(self, client_id: str, user_id: str) -> None:
        owner = await self._connection.scalar(
            sa.select(clients.c.owner_user_id).where(clients.c.id == client_id)
        )
        if owner is None:
            raise ClientNotFound(client_id)
        if owner == user_id:
            raise OwnerStays("the owner stays the owner")


def _member(row: "sa.Row[*tuple[Any, ...]]") -> ClientMember:
    return ClientMember(row.id, row.email, Role(row.role), row.created_at)


def _address(email: str) -> str:
    return email.strip().lower()
