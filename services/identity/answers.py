"""Responses to invitations, by the user with the invited address only.

The unit of work belongs to the inviting client, but spans clients, because users belong to none.
"""

from dataclasses import replace

from domain.identity.errors import InvitationNotFound
from domain.identity.invitation import Invitation
from domain.tenants.actor import MANAGERS, Actor, without_address
from domain.tenants.client import Role
from domain.tenants.errors import ClientNotFound
from services.core.unit_of_work import UnitOfWork
from store.identity.invitations import InvitationRepository
from store.identity.people import address_of
from store.tenants.accounts import AccountRepository
from store.tenants.members import MemberRepository


async def accept_invitation(
    work: UnitOfWork, actor: Actor, user_id: str, invitation_id: str
) -> Role:
    """Make the invited user a member and return the role. An existing member keeps the current
    role. Raises InvitationNotFound without an open invitation to the user's address, and if the
    inviting member no longer manages the client."""
    invitation = await _answered(work, user_id, invitation_id, accepted=True)
    members = MemberRepository(work.connection)
    if invitation.inviter_role is not None:
        inviter = await members.role(invitation.invited_by, work.tenant)
        if inviter not in MANAGERS:
            raise InvitationNotFound(invitation_id)
    role = await members.role(user_id, work.tenant)
    if role is None:
        role = invitation.role
        await members.add(work.tenant, user_id, role, work.now)
    work.note(
        replace(actor, role=role),
        "invitation accepted",
        invitation_id=invitation.id,
        member_id=without_address(user_id),
        role=role.value,
    )
    return role


async def decline_invitation(
    work: UnitOfWork, actor: Actor, user_id: str, invitation_id: str
) -> None:
    """Decline an invitation, which ends it. Raises InvitationNotFound."""
    invitation = await _answered(work, user_id, invitation_id, accepted=False)
    work.note(actor, "invitation declined", invitation_id=invitation.id)


async def _answered(
    work: UnitOfWork, user_id: str, invitation_id: str, *, accepted: bool
) -> Invitation:
    # Removing the member who sent the invitation takes the same lock, so the removal either
    # precedes this response or follows it.
    try:
        await AccountRepository(work.connection, work.tenant).lock()
    except ClientNotFound:
        raise InvitationNotFound(invitation_id) from None
    email = await address_of(work.connection, user_id)
    invitations = InvitationRepository(work.connection, work.tenant)
    answered = None
    if email is not None:
        answered = await invitations.answer(invitation_id, email, work.now, accepted=accepted)
    if answered is None:
        raise InvitationNotFound(invitation_id)
    return answered
