"""/api/dashboard/mail-sender: the sender of a client's customer emails."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import ChosenManagerDep, ManagerDep
from api.dashboard.pages import language_of
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, errors
from api.schemas.integrations.mail_sender import ResentCodeBody, SenderBody, SenderCodeBody
from api.sender_codes import drawn_code, mail_sender_code
from domain.integrations.client_sender import ShownSender
from domain.integrations.errors import InvalidSenderCode
from services.integrations.mail_senders import (
    remove_mail_sender,
    send_sender_code,
    set_mail_sender,
    verify_mail_sender,
)
from store.integrations.mail_senders import MailSenderRepository

router = APIRouter(route_class=DescribedRoute)

_SENDER: Final = "/api/dashboard/mail-sender"


@router.get(
    _SENDER,
    operation_id="mail_sender.get",
    summary="Get the sender of a client's emails",
    responses=errors(404),
)
async def sender(member: ManagerDep, resources: ResourcesDep) -> ShownSender:
    """This operation requires the owner or admin role, like all mail sender routes. The password is
    never returned."""
    async with resources.database.reading(member.tenant) as connection:
        return await MailSenderRepository(connection, member.tenant).shown()


@router.put(
    _SENDER,
    operation_id="mail_sender.update",
    summary="Set the sender of a client's emails",
    responses=errors(409),
)
async def put(
    member: ChosenManagerDep,
    body: Annotated[SenderBody, Depends(JsonBody(SenderBody))],
    request: Request,
    resources: ResourcesDep,
) -> ShownSender:
    """The configured mail server emails a code to the new sender address, from that same address.
    Until the code is entered, emails use the service's sender. If the address and the mail server
    stay the same, the sender stays verified and no code is sent. A client can send at most 5 codes
    a day."""
    stored = await set_mail_sender(
        resources.work,
        member.actor,
        member.tenant,
        body.wanted,
        drawn_code(language_of(request)),
        sealer=resources.sealer,
        servers=resources.mail_servers,
        service_address=resources.settings.mail.sender,
    )
    if stored.code_id is not None:
        await mail_sender_code(resources, member.tenant, stored.code_id)
    return stored.shown


@router.post(
    f"{_SENDER}/code",
    operation_id="mail_sender.send_code",
    summary="Email a new code to the sender",
    status_code=204,
    responses=errors(404, 409),
)
async def send_again(
    member: ManagerDep,
    body: Annotated[ResentCodeBody, Depends(JsonBody(ResentCodeBody, optional=True))],
    request: Request,
    resources: ResourcesDep,
) -> Response:
    """The new code replaces the previous one, and counts toward the daily limit."""
    code = drawn_code(body.language or language_of(request))
    async with resources.work.of(member.tenant) as work:
        code_id = await send_sender_code(work, member.actor, code, resources.sealer)
    await mail_sender_code(resources, member.tenant, code_id)
    return Response(status_code=204)


@router.post(
    f"{_SENDER}/verify",
    operation_id="mail_sender.verify",
    summary="Verify the sender with the code from the email",
)
async def verify(
    member: ManagerDep,
    body: Annotated[SenderCodeBody, Depends(JsonBody(SenderCodeBody))],
    resources: ResourcesDep,
) -> ShownSender:
    """A code can be used once. It expires after 30 minutes or five attempts."""
    async with resources.work.of(member.tenant) as work:
        verified = await verify_mail_sender(work, member.actor, body.code, resources.sealer)
    if verified is None:
        raise InvalidSenderCode
    return verified


@router.delete(
    _SENDER,
    operation_id="mail_sender.delete",
    summary="Remove the sender and erase its password",
    status_code=204,
    responses=errors(404),
)
async def remove(member: ManagerDep, resources: ResourcesDep) -> Response:
    """Later emails use the service's sender."""
    async with resources.work.of(member.tenant) as work:
        await remove_mail_sender(work, member.actor)
    return Response(status_code=204)
