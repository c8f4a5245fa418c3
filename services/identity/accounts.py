"""The account of a user with a verified address. The unit of work spans clients."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.content.starter_templates import starter_templates
from domain.core.ids import TenantId
from domain.identity.errors import AddressNotVerified, AddressTaken, TooManyAccounts
from domain.identity.opening import OpeningLimits
from domain.identity.provider import ProvedPerson
from domain.playbooks.merge import compare
from domain.playbooks.starter import starter_playbooks
from domain.tenants.actor import Actor, without_address
from domain.tenants.client import Plan, Role
from services.core.unit_of_work import UnitOfWork
from store.content.content import ContentRepository
from store.identity.invitations import is_invited
from store.identity.people import (
    accounts_since,
    address_of,
    has_own_client,
    hold,
    move_address,
    user_of,
)
from store.playbooks.live_versions import LiveVersions
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.clients import ClientRepository
from store.tenants.members import MemberRepository

TRIAL: Final = timedelta(days=14)
"""Length of the pro plan trial for a new client."""

_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """A user's account. `client_id` is the default client, or None. `created` means that this
    sign-in created it. `invited` means that invitations are unanswered."""

    user_id: str
    client_id: str | None
    created: bool
    invited: bool


@dataclass(frozen=True, slots=True)
class Opening:
    """The parameters for creating an account. Without a `brand`, no client is created. `network` is
    the client's IP network."""

    brand: str | None
    network: str
    limits: OpeningLimits


async def account_of(work: UnitOfWork, email: str, opening: Opening) -> OwnAccount | None:
    """Return the account of the user with a verified address. A brand name creates a client, unless
    the user already owns one.

    Return None for an unknown address with neither a brand name nor an invitation. An invited user
    joins only by accepting. Raises TooManyAccounts.
    """
    await hold(work.connection, email)
    known = await user_of(work.connection, email)
    if opening.brand is not None and not await _owns(work, known):
        return await _opened(work, email, opening, user_id=known or work.new_id())
    if known is None and await is_invited(work.connection, email, work.now):
        known = work.new_id()
        await MemberRepository(work.connection).ensure_user(known, email, work.now)
    return None if known is None else await _entered(work, known, email)


async def account_of_person(
    work: UnitOfWork, person: ProvedPerson, opening: Opening
) -> OwnAccount | None:
    """Return the account of a person verified by another identity provider, as `account_of` does.

    The user's id is the id assigned by the provider. An address of another user changes nothing.
    Raises AddressNotVerified, AddressTaken, TooManyAccounts.
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
    if address is not None:
        if proved not in (None, address):
            await move_address(work.connection, person.subject, proved)
            work.note(Actor.person(person.subject, None, network=opening.network), "address moved")
        return await _entered(work, person.subject, proved or address)
    if proved is None:
        raise AddressNotVerified
    if opening.brand is not None:
        return await _opened(work, proved, opening, user_id=person.subject)
    if not await is_invited(work.connection, proved, work.now):
        return None
    await MemberRepository(work.connection).ensure_user(person.subject, proved, work.now)
    return await _entered(work, person.subject, proved)


async def open_own_client(work: UnitOfWork, user_id: str, opening: Opening) -> OwnAccount | None:
    """Create a client for a signed-in user, or return None if the user already owns one. Raises
    TooManyAccounts, and AddressNotVerified without an address."""
    email = await address_of(work.connection, user_id)
    if email is None:
        raise AddressNotVerified
    await hold(work.connection, email)
    if await _owns(work, user_id):
        return None
    return await _opened(work, email, opening, user_id=user_id)


async def _owns(work: UnitOfWork, user_id: str | None) -> bool:
    return user_id is not None and await has_own_client(work.connection, user_id)


async def _entered(work: UnitOfWork, user_id: str, email: str) -> OwnAccount:
    client_id = await MemberRepository(work.connection).client_of(user_id)
    invited = await is_invited(work.connection, email, work.now)
    return OwnAccount(user_id, client_id, created=False, invited=invited)


async def _opened(work: UnitOfWork, email: str, opening: Opening, *, user_id: str) -> OwnAccount:
    """Create a client for the user, with a trial, starter playbooks and starter templates."""
    made = await accounts_since(work.connection, work.now - _HOUR, opening.network)
    if opening.brand is None or not opening.limits.admit(made):
        raise TooManyAccounts
    work.tenant = TenantId(work.new_id())
    user_id = await ClientRepository(work.connection).create(
        client_id=work.tenant,
        user_id=user_id,
        brand=opening.brand,
        plan=Plan.FREE,
        owner_email=email,
        now=work.now,
        trial_ends_at=work.now + TRIAL,
    )
    owner = Actor.person(user_id, Role.OWNER, network=opening.network)
    work.note(owner, "client created", owner_user_id=without_address(user_id))
    playbooks = PlaybookRepository(work.connection, work.tenant)
    live = LiveVersions(work.connection, work.tenant)
    for change in compare((), starter_playbooks(), work.new_id):
        entry = change.entry
        await playbooks.create(
            entry.playbook, active=entry.is_active, now=work.now, rulebook=entry.rulebook
        )
        if entry.is_active:  # A new client has no saved cases that the publish gate could require.
            await live.go_live(entry.playbook, work.now)
        work.note(owner, "playbook created", playbook_id=entry.playbook.id)
    templates = starter_templates(work.new_id)
    await ContentRepository(work.connection, work.tenant).add_templates(templates, work.now)
    work.note(owner, "starter templates added", templates=str(len(templates)))
    invited = await is_invited(work.connection, email, work.now)
    return OwnAccount(user_id, work.tenant, created=True, invited=invited)
