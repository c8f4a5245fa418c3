"""/api/dashboard/me/invitations: the invitations that the caller has received."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import UserDep
from api.http.client_address import client_network
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, PathId
from api.schemas.identity.invitation import (
    AcceptedInvitation,
    ReceivedInvitationList,
    ReceivedInvitationOut,
)
from domain.core.ids import TenantId
from domain.identity.errors import InvitationNotFound
from domain.tenants.actor import Actor
from domain.tenants.user import User
from services.identity.answers import accept_invitation, decline_invitation
from store.identity.invitations import client_of, invitations_of
from store.identity.people import address_of

router = APIRouter(route_class=DescribedRoute)

_INVITATIONS: Final = "/api/dashboard/me/invitations"
_INVITATION: Final = f"{_INVITATIONS}/{{invitation_id}}"
InvitationId = Annotated[str, Depends(PathId("invitation_id", "invitation", InvitationNotFound))]


@router.get(
    _INVITATIONS,
    operation_id="received_invitations.list",
    summary="List your open invitations",
)
async def received(user: UserDep, resources: ResourcesDep) -> ReceivedInvitationList:
    """Lists the invitations sent to your own verified address, with the client and inviter of
    each."""
    async with resources.database.reading_across() as connection:
        email = await address_of(connection, user.id)
        found = () if email is None else await invitations_of(connection, email, resources.now())
    return ReceivedInvitationList(
        invitations=tuple(map(ReceivedInvitationOut.model_validate, found))
    )


@router.post(
    f"{_INVITATION}/accept",
    operation_id="received_invitations.accept",
    summary="Accept an invitation",
)
async def accept(
    user: UserDep, invitation_id: InvitationId, request: Request, resources: ResourcesDep
) -> AcceptedInvitation:
    """Makes you a member of the client. If you are already a member, you keep your role."""
    tenant = await _inviting(resources, invitation_id)
    async with resources.work.spanning(tenant) as work:
        role = await accept_invitation(work, _actor(user, request), user.id, invitation_id)
    return AcceptedInvitation(client_id=tenant, role=role)


@router.post(
    f"{_INVITATION}/decline",
    operation_id="received_invitations.decline",
    summary="Decline an invitation",
    status_code=204,
)
async def decline(
    user: UserDep, invitation_id: InvitationId, request: Request, resources: ResourcesDep
) -> Response:
    """The invitation ends. The client can invite you again."""
    async with resources.work.spanning(await _inviting(resources, invitation_id)) as work:
        await decline_invitation(work, _actor(user, request), user.id, invitation_id)
    return Response(status_code=204)


async def _inviting(resources: Resources, invitation_id: str) -> TenantId:
    return await resources.database.find_client(client_of, invitation_id)


def _actor(user: User, request: Request) -> Actor:
    return Actor.person(user.id, None, network=client_network(request))
