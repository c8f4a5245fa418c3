"""/api/dashboard/inbound: received webhooks and their outcomes."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import Asked, InClientOf, MemberAt, QueryInClient
from api.inbound_start import begin_work
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId
from api.schemas.core.client_query import cursor_after
from api.schemas.inbound.log import (
    InboundDetail,
    InboundPage,
    InboundQuery,
    InboundRecord,
    InboundReplayAnswer,
    InboundReplayBody,
    RefusedHour,
)
from domain.inbound.contracts import WebhookRef
from domain.inbound.errors import InboundWebhookNotFound
from domain.tenants.actor import ANYONE, MANAGERS
from services.inbound.log import read_logged
from services.inbound.replay import replay_webhook
from store.inbound.log import InboundLogRepository, client_of_inbound

router = APIRouter(route_class=DescribedRoute)

_LOG: Final = "/api/dashboard/inbound"
_ID: Final = PathId("inbound_id", "inbound webhook", InboundWebhookNotFound)


@router.get(_LOG, operation_id="inbound.list", summary="List received webhooks, newest first")
async def list_inbound(
    asked: Annotated[Asked[InboundQuery], Depends(QueryInClient(InboundQuery))],
    resources: ResourcesDep,
) -> InboundPage:
    """Any member of the client may call this operation with a session token. The response includes
    the number of rejected webhooks."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        log = InboundLogRepository(connection, asked.tenant)
        # Fetch one extra row to detect whether there is a next page.
        found = await log.page(
            limit=query.limit + 1,
            before=query.cursor,
            provider=query.provider,
            state=query.state,
            outcome=query.outcome,
        )
        refused = await log.refusals(query.refusal_hours, resources.now())
    return InboundPage(
        webhooks=[InboundRecord.of(one) for one in found[: query.limit]],
        next_cursor=cursor_after(found, query.limit, lambda last: last.id),
        refusals=[RefusedHour.of(one) for one in refused],
    )


@router.get(
    f"{_LOG}/{{inbound_id}}",
    operation_id="inbound.get",
    summary="Get a received webhook with its content and outcome",
)
async def show_inbound(
    member: Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of_inbound))],
    resources: ResourcesDep,
) -> InboundDetail:
    """The headers and body are returned only to owners and admins."""
    async with resources.database.reading(member.tenant) as connection:
        found = await read_logged(connection, member.tenant, member.actor, member.record_id)
    return InboundDetail.of(found)


@router.post(
    f"{_LOG}/{{inbound_id}}/replay",
    operation_id="inbound.replay",
    summary="Reprocess a received webhook",
    status_code=202,
)
async def replay_inbound(
    member: Annotated[MemberAt, Depends(InClientOf(MANAGERS, _ID, client_of_inbound))],
    _: Annotated[InboundReplayBody, Depends(JsonBody(InboundReplayBody, optional=True))],
    resources: ResourcesDep,
) -> InboundReplayAnswer:
    """Reprocesses the stored webhook. A failed webhook is processed as if it had just arrived, and
    a waiting webhook is retried immediately. If the webhook has already been processed, the call
    has no effect."""
    async with resources.work.of(member.tenant) as work:
        starts = await replay_webhook(work, member.actor, member.record_id)
    if starts:
        ref = WebhookRef(client_id=member.tenant, webhook_id=member.record_id)
        await begin_work(ref, resources, wake=True)
    return InboundReplayAnswer(replayed=starts)
