"""/api/dashboard/webhooks/…/deliveries: what was sent to a webhook, and sending it once more."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from api.http.json_body import json_response, parse_body, read_body, read_optional_body
from api.http.query import parse_query
from api.openapi import (
    SESSION,
    dashboard_answers,
    path_parameters,
    query_parameters,
    request_body,
)
from api.resources import ResourcesDep
from api.schemas.webhooks.delivery import (
    DeliveryDetail,
    DeliveryList,
    DeliveryQuery,
    ReplayBody,
    ReplaySinceAnswer,
    ReplaySinceBody,
    VerifyBody,
)
from api.schemas.webhooks.subscription import DeliveryAnswer
from api.webhook_access import delivery_of, have_sent, manager
from domain.webhooks.curl import VALID_FOR, signed_again
from domain.webhooks.explanation import Explanation
from domain.webhooks.secret import known_secrets, unseal_secret
from domain.webhooks.signature_verdict import Pasted, explain
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.evidence import WebhookEvidence
from store.webhooks.replay import DeliveryReplay
from store.webhooks.subscriptions import WebhookRepository, subscriber

router = APIRouter()

_WEBHOOK: Final = "/api/dashboard/webhooks/{webhook_id}"
_DELIVERIES: Final = f"{_WEBHOOK}/deliveries"
_DELIVERY: Final = f"{_DELIVERIES}/{{delivery_id}}"
_WEBHOOK_ID: Final = path_parameters(webhook_id="webhook")
_BOTH_IDS: Final = path_parameters(webhook_id="webhook", delivery_id="delivery")

_AT_ONCE: Final = 1000
"""Events that one call replays at most."""


def _post(
    path: str, summary: str, body: type[BaseModel], answer: type[BaseModel], status: int = 202
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    conflicts = () if status == 200 else (409,)  # where something is sent
    return router.post(
        path,
        summary=summary,
        status_code=status,
        responses=dashboard_answers(answer, 402, 408, *conflicts, 413, 415, status=status),
        openapi_extra={
            "parameters": _BOTH_IDS if path.startswith(_DELIVERY) else _WEBHOOK_ID,
            "requestBody": request_body(body),
            "security": SESSION,
        },
    )


@router.get(
    _DELIVERIES,
    summary="What was sent to a webhook",
    responses=dashboard_answers(DeliveryList),
    openapi_extra={
        "parameters": [*_WEBHOOK_ID, *query_parameters(DeliveryQuery)],
        "security": SESSION,
    },
)
async def deliveries(request: Request, resources: ResourcesDep) -> Response:
    """Without what was sent and answered, which each delivery's own page has."""
    member, webhook_id = await manager(request, resources)
    query = parse_query(DeliveryQuery, request.query_params)
    async with resources.database.tenant(member.tenant) as connection:
        found = await DeliveryRepository(connection, member.tenant).latest(webhook_id)
    shown = [one for one in found if query.status in (None, one.status)]
    return _told(DeliveryList(deliveries=shown))


@router.get(
    _DELIVERY,
    summary="One delivery: what was sent, and what came back",
    responses=dashboard_answers(DeliveryDetail),
    openapi_extra={"parameters": _BOTH_IDS, "security": SESSION},
)
async def delivery(request: Request, resources: ResourcesDep) -> Response:
    """`request_body` is exactly what was signed. `curl` needs no secret: it has its signatures."""
    member, webhook_id = await manager(request, resources)
    delivery_id = delivery_of(request)
    now = resources.now()
    async with resources.database.tenant(member.tenant) as connection:
        found = await DeliveryRepository(connection, member.tenant).read(webhook_id, delivery_id)
        sealed = await WebhookRepository(connection, member.tenant).sealed_secrets(webhook_id, now)
    secrets = [unseal_secret(resources.sealer, member.tenant, webhook_id, one) for one in sealed]
    return _told(
        DeliveryDetail(
            **dict(found),
            curl=signed_again(found, secrets, int(now.timestamp())),
            curl_valid_until=now + VALID_FOR,
        )
    )


@_post(f"{_DELIVERY}/replay", "Send it once more", ReplayBody, DeliveryAnswer)
async def replay(request: Request, resources: ResourcesDep) -> Response:
    """The same body and webhook-id, a new timestamp and signature, to the URL that is set now."""
    member, webhook_id = await manager(request, resources)
    delivery_id = delivery_of(request)
    parse_body(ReplayBody, await read_optional_body(request))
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        replayed = await DeliveryReplay(connection, member.tenant).replay(
            webhook_id, delivery_id, resources.new_id, resources.now()
        )
    await have_sent(resources, member.tenant, replayed)
    return _told(DeliveryAnswer(delivery_id=replayed), status=202)


@_post(f"{_WEBHOOK}/replay", "Send what it has missed", ReplaySinceBody, ReplaySinceAnswer)
async def replay_since(request: Request, resources: ResourcesDep) -> Response:
    """Events since then that it has not got, 1,000 a call, the oldest first. They can be replayed
    for 30 days."""
    member, webhook_id = await manager(request, resources)
    body = parse_body(ReplaySinceBody, await read_body(request))
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        repository = DeliveryReplay(connection, member.tenant)
        replayed = await repository.replay_since(
            webhook_id,
            body.since,
            everything=body.all,
            limit=_AT_ONCE,
            new_id=resources.new_id,
            now=resources.now(),
        )
    await have_sent(resources, member.tenant, *replayed.delivery_ids)
    return _told(
        ReplaySinceAnswer(
            queued=len(replayed.delivery_ids),
            left=replayed.left,
            next_since=replayed.next_since,
        ),
        status=202,
    )


@_post(f"{_WEBHOOK}/verify", "Why a signature does not match", VerifyBody, Explanation, status=200)
async def verify(request: Request, resources: ResourcesDep) -> Response:
    """Tries what receivers get wrong: the secret, the string that is signed, a body that was parsed
    and rendered again, another request's timestamp."""
    member, webhook_id = await manager(request, resources)
    body = parse_body(VerifyBody, await read_body(request))
    now = resources.now()
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        evidence = WebhookEvidence(connection, member.tenant, webhook_id)
        sealed, sent = await evidence.sealed_secrets(now), await evidence.sent()
    pasted = Pasted(body.signature, body.timestamp, body.body.encode(), body.message_id)
    secrets = known_secrets(resources.sealer, member.tenant, sealed)
    # In a thread: it takes tenths of a second where the body is long.
    return _told(await asyncio.to_thread(explain, pasted, secrets=secrets, sent=sent, now=now))


def _told(answer: BaseModel, status: int = 200) -> Response:
    return json_response(answer.model_dump(mode="json"), status=status)
