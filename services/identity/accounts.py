"""The account behind an address that has just been proved. The work spans clients."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.core.ids import TenantId
from domain.playbooks.merge import compare
from domain.playbooks.starter import starter_playbooks
from domain.tenants.actor import Actor
from domain.tenants.client import Plan, Role
from services.core.unit_of_work import UnitOfWork
from store.identity.invitations import accept_all
from store.identity.people import user_of
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.clients import ClientRepository
from store.tenants.members import MemberRepository

TRIAL: Final = timedelta(days=14)
"""Of the pro plan, for each new client."""


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """`client_id`: the user's own client, None of a user who belongs to none. `created`: whether
    it was made just now."""

    user_id: str
    client_id: str | None
    created: bool


async def account_of(
    work: UnitOfWork, email: str, brand: str | None, network: str
) -> OwnAccount | None:
    """Who the address belongs to. An invited address joins the clients that invited it; one that
    then still has no client gets one of its own if a `brand` was given, and is nobody without.
    `network`: where the request comes from."""
    user_id = await _joined(work, email, network)
    own = None
    if user_id is not None:
        own = await MemberRepository(work.connection).client_of(user_id)
    if own is None and brand is not None:
        return await _opened(work, email, brand, network)
    return None if user_id is None else OwnAccount(user_id, own, created=False)


async def _joined(work: UnitOfWork, email: str, network: str) -> str | None:
    """The user, a new one if need be, after the invitations of this address are accepted."""
    user_id = await user_of(work.connection, email)
    members = MemberRepository(work.connection)
    for client_id, invitation in await accept_all(work.connection, email, work.now):
        if user_id is None:
            user_id = work.new_id()
            await members.ensure_user(user_id, email, work.now)
        # A member of the client keeps the present role.
        if await members.role(user_id, client_id) is None:
            await members.add(client_id, user_id, invitation.role, work.now)
        work.note(
            Actor.person(user_id, invitation.role, network=network),
            "invitation accepted",
            invitation_id=invitation.id,
            member_id=user_id,
            role=invitation.role.value,
        )
    return user_id


async def _opened(work: UnitOfWork, email: str, brand: str, network: str) -> OwnAccount:
    """A client of the user's own: on trial, with the playbooks that every client begins with."""
    work.tenant = TenantId(work.new_id())
    user_id = await ClientRepository(work.connection).create(
        client_id=work.tenant,
        user_id=work.new_id(),
        brand=brand,
        plan=Plan.FREE,
        owner_email=email,
        now=work.now,
        trial_ends_at=work.now + TRIAL,
    )
    owner = Actor.person(user_id, Role.OWNER, network=network)
    work.note(owner, "client created", owner_user_id=user_id)
    playbooks = PlaybookRepository(work.connection, work.tenant)
    for change in compare((), starter_playbooks(), work.new_id):
        entry = change.entry
        await playbooks.create(
            entry.playbook, active=entry.is_active, now=work.now, rulebook=entry.rulebook
        )
        work.note(owner, "playbook created", playbook_id=entry.playbook.id)
    return OwnAccount(user_id, work.tenant, created=True)
