"""/api/widget/email and /verify: a visitor verifies an email address with an emailed code."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Request

from api.http.client_address import client_network, limited_networks
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.core.error import ErrorBody
from api.schemas.widget.verification import (
    CodeSent,
    VerifiedSession,
    VisitorAddress,
    VisitorCode,
)
from api.widget_access import WIDGET_VALUES, WidgetPageDep
from domain.identity.address import sign_in_address
from domain.identity.contracts import SendMailInput
from domain.identity.mailed_code import NUMBERS
from domain.intake.rate_limit import LimitScope
from domain.widget.errors import InvalidWidgetCode, SessionUnknown
from domain.widget.widget_session import held_session, session_token
from services.widget.visitor_codes import (
    VisitorCodeWanted,
    enter_visitor_code,
    make_visitor_code,
)

router = APIRouter(route_class=DescribedRoute)


@router.post(
    "/api/widget/email",
    operation_id="widget.send_code",
    summary="Email a verification code to a visitor",
    status_code=202,
    responses={404: {"model": ErrorBody}},
)
async def email(
    page: WidgetPageDep,
    sent: Annotated[VisitorAddress, Depends(JsonBody(VisitorAddress, most_values=WIDGET_VALUES))],
    request: Request,
    resources: ResourcesDep,
) -> CodeSent:
    """The response does not reveal whether the address belongs to a customer or has reached its
    daily limit of codes."""
    address = sign_in_address(sent.customer_email)
    session = held_session(resources.sealer, page.tenant, sent.session_id)
    if session is None:
        raise SessionUnknown
    # The limit applies across all clients because the same mail server sends the codes for all of
    # them.
    networks = limited_networks(request)
    await resources.limiter.check_networks(LimitScope.WIDGET_CODE, networks, resources.now())
    wanted = VisitorCodeWanted(
        session_id=session.id,
        email=address,
        language=sent.language,
        network=client_network(request),
        number=secrets.randbelow(NUMBERS),
    )
    async with resources.work.of(page.tenant) as work:
        code_id = await make_visitor_code(work, wanted, resources.sealer)
    # The email's workflow starts even if no code will be sent. Otherwise the response time would
    # reveal whether a code was sent.
    mail = SendMailInput(kind="visitor_code", record_id=code_id, client_id=page.tenant)
    await resources.engine.mail(mail)
    return CodeSent()


@router.post(
    "/api/widget/verify", operation_id="widget.verify", summary="Verify a visitor with a code"
)
async def verify(
    page: WidgetPageDep,
    sent: Annotated[VisitorCode, Depends(JsonBody(VisitorCode, most_values=WIDGET_VALUES))],
    resources: ResourcesDep,
) -> VerifiedSession:
    """A code can be used once, and only in the session that requested it. It expires after ten
    minutes or five attempts."""
    await page.count(resources, LimitScope.WIDGET_CODE_TRY)
    session = held_session(resources.sealer, page.tenant, sent.session_id)
    if session is None:
        raise InvalidWidgetCode
    async with resources.work.of(page.tenant) as work:
        done = await enter_visitor_code(work, session.id, sent.code, resources.sealer)
    if done is None:
        raise InvalidWidgetCode
    token = session_token(resources.sealer, page.tenant, done.session_id, done.email)
    return VerifiedSession(session_id=token, customer_email=done.email)
