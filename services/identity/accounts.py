"""The account behind an address that has just been proved. The work spans clients."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.core.ids import TenantId
from domain.identity.errors import AddressNotVerified, AddressTaken, TooManyAccounts
from domain.identity.provider import ProvedPerson
from domain.playbooks.merge import compare
from domain.playbooks.starter import starter_playbooks
from domain.tenants.actor import Actor, without_address
from domain.tenants.client import Plan, Role
from services.core.unit_of_work import UnitOfWork
from store.identity.invitations import accept_all
from store.identity.people import accounts_since, address_of, hold, user_of
from store.playbooks.live_versions import LiveVersions
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.clients import ClientRepository
from store.tenants.members import MemberRepository

TRIAL: Final = timedelta(days=14)
"""Of the pro plan, for each new client."""

_HOUR: Final = timedelta(hours=1)


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
    known = await user_of(work.connection, email)
    user_id = await _joined(work, email, network, known=known, new_id=work.new_id())
    own = None
    if user_id is not None:
        own = await MemberRepository(work.connection).client_of(user_id)
    if own is None and brand is not None:
        return await _opened(work, email, brand, network, new_id=work.new_id())
    return None if user_id is None else OwnAccount(user_id, own, created=False)


async def account_of_person(
    work: UnitOfWork,
    person: ProvedPerson,
    brand: str | None,
    network: str,
    *,
    accounts_an_hour: int,
) -> OwnAccount | None:
    """Whose account it is that another identity provider vouches for, by the same rules.

    A user's id is the provider's. The address only lets somebody new in, and accepts invitations:
    who has another user's address at the provider does not become that user. Raises
    AddressNotVerified, AddressTaken, TooManyAccounts.
    """
    await hold(work.connection, f"user/{person.subject}")
    address = await address_of(work.connection, person.subject)
    proved = person.email
    if proved is not None:
        await hold(work.connection, proved)
        if await user_of(work.connection, proved) not in (None, person.subject):
            if address is None:
                raise AddressTaken
            proved = None
    user_id = None if address is None else person.subject
    if proved is not None:
        user_id = await _joined(work, proved, network, known=user_id, new_id=person.subject)
    if user_id is not None:
        own = await MemberRepository(work.connection).client_of(user_id)
        return OwnAccount(user_id, own, created=False)
    if proved is None:
        raise AddressNotVerified
    if brand is None:
        return None
    if await accounts_since(work.connection, work.now - _HOUR) >= accounts_an_hour:
        raise TooManyAccounts
    return await _opened(work, proved, brand, network, new_id=person.subject)


async def _joined(
    work: UnitOfWork, email: str, network: str, *, known: str | None, new_id: str
) -> str | None:
    """The `known` user, or a new one if need be, after the invitations of this address are
    accepted."""
    user_id = known
    members = MemberRepository(work.connection)
    for client_id, invitation in await accept_all(work.connection, email, work.now):
        if user_id is None:
            user_id = new_id
            await members.ensure_user(user_id, email, work.now)
        # A member of the client keeps the present role.
        if await members.role(user_id, client_id) is None:
            await members.add(client_id, user_id, invitation.role, work.now)
        work.note(
            Actor.person(user_id, invitation.role, network=network),
            "invitation accepted",
            invitation_id=invitation.id,
            member_id=without_address(user_id),
            role=invitation.role.value,
        )
    return user_id


async def _opened(
    work: UnitOfWork, email: str, brand: str, network: str, *, new_id: str
) -> OwnAccount:
    """A client of the user's own: on trial, with the playbooks that every client begins with.
    `new_id`: of the user, unless the address has one."""
    work.tenant = TenantId(work.new_id())
    user_id = await ClientRepository(work.connection).create(
        client_id=work.tenant,
        user_id=new_id,
        brand=brand,
        plan=Plan.FREE,
        owner_email=email,
        now=work.now,
        trial_ends_at=work.now + TRIAL,
    )
    owner = Actor.person(user_id, Role.OWNER, network=network)
    work.note(owner, "client created", owner_user_id=without_address(user_id))
    playbooks = PlaybookRepository(work.connection, work.tenant)
    live = LiveVersions(work.connection, work.tenant)
    for change in compare((), starter_playbooks(), work.new_id):
        entry = change.entry
        await playbooks.create(
            entry.playbook, active=entry.is_active, now=work.now, rulebook=entry.rulebook
        )
        if entry.is_active:  # without the gate: a client that was just made has no cases
            await live.go_live(entry.playbook, work.now)
        work.note(owner, "playbook created", playbook_id=entry.playbook.id)
    return OwnAccount(user_id, work.tenant, created=True)
