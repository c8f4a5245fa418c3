"""POST /api/widget/chat: accepts a visitor's message, and returns the agent's answer."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.dashboard.pages import language_of
from api.gateway_answers import CallStartDep, EventCaller, answer_event
from api.http.json_body import json_response
from api.idempotency_key import IdempotencyKeyDep
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, JsonBody
from api.schemas.widget.chat import ChatAnswer, ChatMessage, ChatStatus
from api.widget_access import WIDGET_VALUES, WidgetCaller, WidgetPageDep
from domain.billing.errors import QuotaExhausted
from domain.core.errors import InvalidBody
from domain.identity.address import sign_in_address
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import LimitScope
from domain.widget.errors import WidgetShareUsed
from domain.widget.page import page_address
from domain.widget.visit import Said, WidgetVisit
from domain.widget.widget_session import HeldSession, held_session, session_token
from services.widget.chat import (
    Shown,
    signed_address,
    visit_of,
    waits_for_verification,
)
from store.intake.idempotency import IdempotencyKey, is_kept

router = APIRouter(route_class=DescribedRoute)


@router.post(
    "/api/widget/chat",
    operation_id="widget.chat",
    summary="Send a visitor's message",
    response_model=ChatAnswer,
)
async def chat(
    start: CallStartDep,
    page: WidgetPageDep,
    sent: Annotated[ChatMessage, Depends(JsonBody(ChatMessage, most_values=WIDGET_VALUES))],
    key: IdempotencyKeyDep,
    request: Request,
    resources: ResourcesDep,
) -> Response:
    """As with the gateway, the response arrives within 30 s. A run that takes longer continues, and
    its answer is added to the session's messages."""
    said = _said(sent)
    visit = await _visit(page, sent, key, request, resources)
    token = session_token(resources.sealer, page.tenant, visit.session_id, visit.verified_email)
    event = said.event(visit)
    if sent.verify_first and waits_for_verification(event):
        answer = ChatAnswer.without_run(token, ChatStatus.VERIFICATION_REQUIRED)
        return json_response(answer.model_dump())
    # `vouches` is True because the event contains an address only if the signature or the code has
    # verified it.
    by = EventCaller(page.tenant, page.actor, start, request.state.request_id, vouches=True)
    idempotency = None if key is None else _idempotency(key, visit, sent)
    try:
        outcome = await answer_event(by, event, idempotency, resources, visit=visit)
    except QuotaExhausted:
        # A visitor must not learn the client's remaining quota.
        raise WidgetShareUsed(None) from None
    return json_response(ChatAnswer.of(token, outcome).model_dump())


def _said(sent: ChatMessage) -> Said:
    """Return the visitor's message as a domain object. Raises InvalidAddress, and InvalidBody for a
    signature without an address."""
    if sent.user_signature is not None and sent.customer_email is None:
        raise InvalidBody("champ « customer_email »")
    return Said(
        message=sent.message,
        page_url=None if sent.page_url is None else page_address(sent.page_url),
        stated_email=None if sent.customer_email is None else sign_in_address(sent.customer_email),
    )


async def _visit(
    page: WidgetCaller,
    sent: ChatMessage,
    key: str | None,
    request: Request,
    resources: Resources,
) -> WidgetVisit:
    """Count the message by address and session, and return the visit. A retry of an accepted
    message is always admitted. Raises InvalidUserSignature, TooManyRequests."""
    now = resources.now()
    token = sent.session_id
    session = held_session(resources.sealer, page.tenant, token) if token else None
    refused = await _refusal(page, session, resources)
    if refused is not None and key is None:
        raise refused
    shown = Shown(
        session=session,
        signed_email=_signed_email(page, sent, resources),
        language=sent.language or language_of(request),
        fresh_id=resources.new_id(),
    )
    async with resources.database.reading(page.tenant) as connection:
        visit = await visit_of(connection, page.tenant, shown, page.widget, now)
        if refused is not None and key is not None:
            idempotency = _idempotency(key, visit, sent)
            if not await is_kept(connection, page.tenant, idempotency.key, now):
                raise refused
    return visit


async def _refusal(
    page: WidgetCaller, session: HeldSession | None, resources: Resources
) -> TooManyRequests | None:
    now = resources.now()
    try:
        await page.count(resources, LimitScope.WIDGET_ADDRESS)
        await page.count(resources, LimitScope.WIDGET_ADDRESS_DAY)
        if session is not None:
            whose = f"{page.tenant}/{session.id}"
            await resources.limiter.check(LimitScope.WIDGET_SESSION, whose, now)
    except TooManyRequests as refused:
        return refused
    return None


def _signed_email(page: WidgetCaller, sent: ChatMessage, resources: Resources) -> str | None:
    if sent.user_signature is None or sent.customer_email is None:
        return None
    return signed_address(
        page.widget,
        resources.sealer,
        page.tenant,
        email=sent.customer_email,
        signature=sent.user_signature,
        now=resources.now(),
    )


def _idempotency(key: str, visit: WidgetVisit, sent: ChatMessage) -> IdempotencyKey:
    """Return the visitor's idempotency key, scoped to the session. The key contains line breaks,
    which gateway keys cannot contain."""
    same = sent.model_dump_json(exclude={"session_id"})
    return IdempotencyKey(
        f"widget\n{visit.session_id}\n{key}", hashlib.sha256(same.encode()).digest()
    )
