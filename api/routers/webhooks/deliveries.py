"""/api/dashboard/webhooks/…/deliveries: a webhook's deliveries, redelivery and replay."""

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, StrictQuery, errors
from api.routers.webhooks.subscriptions import WEBHOOK, WebhookDep
from api.schemas.webhooks.delivery import (
    DeliveryDetail,
    DeliveryList,
    DeliveryQuery,
    ReplaySinceAnswer,
    ReplaySinceBody,
    ResendDeliveryBody,
    VerifySignatureBody,
)
from api.schemas.webhooks.subscription import DeliveryAnswer
from domain.webhooks.curl import VALID_FOR
from domain.webhooks.errors import DeliveryNotFound
from domain.webhooks.explanation import Explanation
from services.webhooks.deliveries import (
    read_delivery,
    replay_delivery,
    replay_missed,
    signature_evidence,
)
from store.webhooks.deliveries import DeliveryRepository

router = APIRouter(route_class=DescribedRoute)

_DELIVERIES: Final = f"{WEBHOOK}/deliveries"
_DELIVERY: Final = f"{_DELIVERIES}/{{delivery_id}}"
DeliveryId = Annotated[str, Depends(PathId("delivery_id", "delivery", DeliveryNotFound))]


@router.get(_DELIVERIES, operation_id="deliveries.list", summary="List a webhook's deliveries")
async def deliveries(
    member: WebhookDep,
    query: Annotated[DeliveryQuery, Depends(StrictQuery(DeliveryQuery))],
    resources: ResourcesDep,
) -> DeliveryList:
    """The list omits request and response bodies. To see them, get a single delivery."""
    async with resources.database.reading(member.tenant) as connection:
        found = await DeliveryRepository(connection, member.tenant).latest(member.record_id)
    return DeliveryList(deliveries=[one for one in found if query.status in (None, one.status)])


@router.get(
    _DELIVERY, operation_id="deliveries.get", summary="Get a delivery with its request and response"
)
async def delivery(
    member: WebhookDep, delivery_id: DeliveryId, resources: ResourcesDep
) -> DeliveryDetail:
    """`request_body` is exactly the text that was signed. You can run the command in `curl` without
    the secret, because the command contains the signatures."""
    now = resources.now()
    async with resources.database.reading(member.tenant) as connection:
        found, curl = await read_delivery(
            connection,
            member.tenant,
            member.record_id,
            delivery_id,
            sealer=resources.sealer,
            now=now,
            service=resources.settings.server.service,
        )
    return DeliveryDetail(**dict(found), curl=curl, curl_valid_until=now + VALID_FOR)


@router.post(
    f"{_DELIVERY}/replay",
    operation_id="deliveries.resend",
    summary="Resend a delivery",
    status_code=202,
    responses=errors(402, 409),
)
async def replay(
    member: WebhookDep,
    delivery_id: DeliveryId,
    _: Annotated[ResendDeliveryBody, Depends(JsonBody(ResendDeliveryBody, optional=True))],
    resources: ResourcesDep,
) -> DeliveryAnswer:
    """Sends the same body and webhook-id to the current URL, with a new timestamp and signature."""
    async with resources.work.of(member.tenant) as work:
        replayed = await replay_delivery(work, member.actor, member.record_id, delivery_id)
    return DeliveryAnswer(delivery_id=replayed)


@router.post(
    f"{WEBHOOK}/replay",
    operation_id="webhooks.replay",
    summary="Replay a webhook's missed events",
    status_code=202,
    responses=errors(402, 409),
)
async def replay_since(
    member: WebhookDep,
    body: Annotated[ReplaySinceBody, Depends(JsonBody(ReplaySinceBody))],
    resources: ResourcesDep,
) -> ReplaySinceAnswer:
    """Queues the events that the webhook has not received, starting at the time `since`. Each call
    queues at most 1,000 events, oldest first. Events can be replayed for 30 days."""
    async with resources.work.of(member.tenant) as work:
        replayed = await replay_missed(
            work, member.actor, member.record_id, body.since, everything=body.all
        )
    return ReplaySinceAnswer(
        queued=len(replayed.delivery_ids), left=replayed.left, next_since=replayed.next_since
    )


@router.post(
    f"{WEBHOOK}/verify",
    operation_id="webhooks.verify",
    summary="Explain why a signature does not match",
    responses=errors(402),
)
async def verify(
    member: WebhookDep,
    body: Annotated[VerifySignatureBody, Depends(JsonBody(VerifySignatureBody))],
    resources: ResourcesDep,
) -> Explanation:
    """Checks for common mistakes in webhook endpoints. Examples are a wrong secret, a wrong signed
    string, a re-serialized body, and another request's timestamp."""
    async with resources.work.of(member.tenant) as work:
        evidence = await signature_evidence(
            work, member.actor, member.record_id, sealer=resources.sealer
        )
    # The check runs in a thread because a long body takes several tenths of a second.
    return await asyncio.to_thread(evidence.explain, body.pasted)
