"""Invitations of new members by email. `services/identity/answers.py` stores the invited user's
response."""

from domain.identity.address import sign_in_address
from domain.identity.errors import InvitationNotFound, TooManyInvitations
from domain.identity.invitation import (
    INVITATIONS_A_DAY,
    INVITED_FOR,
    Invitation,
    check_invited_role,
)
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.client import Role
from services.core.unit_of_work import UnitOfWork
from services.tenants.manager_now import require_manager_now
from store.identity.invitations import InvitationRepository
from store.tenants.accounts import AccountRepository


async def invite(
    work: UnitOfWork, actor: Actor, email: str, role: Role, *, language: str
) -> Invitation:
    """Invite an address for INVITED_FOR, replacing the client's open invitation to it.

    The caller sends the email after the commit (`TemporalEngine.mail`) in `language`, fr or en. The
    result does not reveal whether the address has an account. Raises RoleRequired, InvalidAddress,
    OwnerStays for the owner role, TooManyInvitations, ClientNotFound.
    """
    actor.require(MANAGERS)
    check_invited_role(role)
    address = sign_in_address(email)
    # Without the lock, two concurrent invitations could together exceed the limit, and a member who
    # is being removed could still invite.
    await AccountRepository(work.connection, work.tenant).lock()
    await require_manager_now(work, actor)
    invitations = InvitationRepository(work.connection, work.tenant)
    if await invitations.made_within_a_day(work.now) >= INVITATIONS_A_DAY:
        raise TooManyInvitations
    invitation = Invitation(
        id=work.new_id(),
        email=address,
        role=role,
        invited_by=actor.name,
        inviter_role=actor.role,
        language=language,
        created_at=work.now,
        expires_at=work.now + INVITED_FOR,
    )
    await invitations.create(invitation)
    work.note(actor, "member invited", invitation_id=invitation.id, role=role.value)
    return invitation


async def invite_again(
    work: UnitOfWork, actor: Actor, invitation_id: str, *, language: str
) -> Invitation:
    """Replace an open invitation with a new invitation to the same address. Raises
    InvitationNotFound, and the errors of `invite`."""
    actor.require(MANAGERS)
    found = await InvitationRepository(work.connection, work.tenant).find(invitation_id, work.now)
    if found is None:
        raise InvitationNotFound(invitation_id)
    return await invite(work, actor, found.email, found.role, language=language)


async def withdraw(work: UnitOfWork, actor: Actor, invitation_id: str) -> None:
    """Withdraw an open invitation. Raises RoleRequired, InvitationNotFound."""
    actor.require(MANAGERS)
    invitations = InvitationRepository(work.connection, work.tenant)
    if not await invitations.withdraw(invitation_id, work.now):
        raise InvitationNotFound(invitation_id)
    work.note(actor, "invitation withdrawn", invitation_id=invitation_id)
