"""/api/dashboard/invitations: a client's invitations for new members."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import ManagerDep
from api.dashboard.pages import language_of
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.identity.invitation import (
    InvitationBody,
    InvitationList,
    InvitationOut,
    ResendBody,
)
from domain.identity.contracts import SendMailInput
from domain.identity.errors import InvitationNotFound
from services.identity.invitations import invite, invite_again, withdraw
from store.identity.invitations import InvitationRepository

router = APIRouter(route_class=DescribedRoute)

_INVITATIONS: Final = "/api/dashboard/invitations"
_INVITATION: Final = f"{_INVITATIONS}/{{invitation_id}}"
InvitationId = Annotated[str, Depends(PathId("invitation_id", "invitation", InvitationNotFound))]


@router.get(
    _INVITATIONS, operation_id="invitations.list", summary="List a client's open invitations"
)
async def invitations(member: ManagerDep, resources: ResourcesDep) -> InvitationList:
    """This operation requires the owner or admin role, like all invitation routes."""
    async with resources.database.reading(member.tenant) as connection:
        found = await InvitationRepository(connection, member.tenant).open(resources.now())
    return InvitationList(invitations=tuple(map(InvitationOut.model_validate, found)))


@router.post(
    _INVITATIONS,
    operation_id="invitations.create",
    summary="Invite a person by email",
    status_code=201,
    responses=errors(409),
)
async def create(
    member: ManagerDep,
    body: Annotated[InvitationBody, Depends(JsonBody(InvitationBody))],
    request: Request,
    resources: ResourcesDep,
) -> InvitationOut:
    """To join, the invited person signs in with the invited address within 7 days. The invitation
    replaces an earlier open invitation for the same address. A client can send at most 20
    invitations a day."""
    language = body.language or language_of(request)
    async with resources.work.of(member.tenant) as work:
        made = await invite(work, member.actor, body.email, body.role, language=language)
    await resources.engine.mail(
        SendMailInput(kind="invitation", record_id=made.id, client_id=member.tenant)
    )
    return InvitationOut.model_validate(made)


@router.post(
    f"{_INVITATION}/resend",
    operation_id="invitations.resend",
    summary="Resend an invitation",
    status_code=201,
    responses=errors(409),
)
async def resend(
    member: ManagerDep,
    invitation_id: InvitationId,
    body: Annotated[ResendBody, Depends(JsonBody(ResendBody, optional=True))],
    request: Request,
    resources: ResourcesDep,
) -> InvitationOut:
    """Sends a new invitation, which replaces the previous one and counts toward the daily limit."""
    language = body.language or language_of(request)
    async with resources.work.of(member.tenant) as work:
        made = await invite_again(work, member.actor, invitation_id, language=language)
    await resources.engine.mail(
        SendMailInput(kind="invitation", record_id=made.id, client_id=member.tenant)
    )
    return InvitationOut.model_validate(made)


@router.delete(
    _INVITATION,
    operation_id="invitations.delete",
    summary="Withdraw an invitation",
    status_code=204,
)
async def end(member: ManagerDep, invitation_id: InvitationId, resources: ResourcesDep) -> Response:
    """The invitation ends immediately. The invited person can no longer join the client with this
    invitation."""
    async with resources.work.of(member.tenant) as work:
        await withdraw(work, member.actor, invitation_id)
    return Response(status_code=204)
