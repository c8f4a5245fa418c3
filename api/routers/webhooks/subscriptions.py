"""/api/dashboard/webhooks: which of a merchant's URLs are told of which events."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from api.dashboard_access import MANAGERS, member_for, signed_in
from api.http.json_body import json_response, parse_body, read_body, read_optional_body
from api.http.query import parse_query
from api.openapi import (
    SESSION,
    dashboard_answers,
    path_parameters,
    query_parameters,
    request_body,
)
from api.resources import Resources, ResourcesDep
from api.schemas.webhooks.subscription import (
    ChangeBody,
    CreateBody,
    DeliveryAnswer,
    EnableAnswer,
    EnableBody,
    RotateBody,
    TestBody,
    WebhookList,
    WebhookQuery,
    WebhookWithSecret,
)
from api.webhook_access import have_sent, manager
from domain.core.errors import InvalidBody
from domain.core.ids import TenantId
from domain.webhooks.envelope import render
from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.samples import sample
from domain.webhooks.secret import seal_secret
from domain.webhooks.signature import SECRET_BYTES, secret_of
from domain.webhooks.url import check_url
from domain.webhooks.webhook import Webhook, check_events, check_label, first_event
from store.webhooks.replay import DeliveryReplay
from store.webhooks.subscriptions import NewWebhook, WebhookChange, WebhookRepository, subscriber

router = APIRouter()

_WEBHOOKS: Final = "/api/dashboard/webhooks"
_WEBHOOK: Final = f"{_WEBHOOKS}/{{webhook_id}}"
_WEBHOOK_ID: Final = path_parameters(webhook_id="webhook")


def _post(
    what: str, summary: str, body: type[BaseModel], answer: type[BaseModel], status: int = 200
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A route that does something with one webhook."""
    return router.post(
        f"{_WEBHOOK}/{what}",
        summary=summary,
        status_code=status,
        responses=dashboard_answers(answer, 402, 408, 413, 415, status=status),
        openapi_extra={
            "parameters": _WEBHOOK_ID,
            "requestBody": request_body(body),
            "security": SESSION,
        },
    )


@router.get(
    _WEBHOOKS,
    summary="The webhooks of one client",
    responses=dashboard_answers(WebhookList),
    openapi_extra={"parameters": query_parameters(WebhookQuery), "security": SESSION},
)
async def webhooks(request: Request, resources: ResourcesDep) -> Response:
    """For owners and admins, as all routes of webhooks. All there are: 100 at most."""
    user = await signed_in(request, resources)
    query = parse_query(WebhookQuery, request.query_params)
    member = await member_for(user, query.client_id, resources)
    member.require(MANAGERS)
    async with resources.database.tenant(member.tenant) as connection:
        found = await WebhookRepository(connection, member.tenant).all()
    return _told(WebhookList(webhooks=found))


@router.post(
    _WEBHOOKS,
    summary="Subscribe a URL to events",
    status_code=201,
    responses=dashboard_answers(WebhookWithSecret, 402, 408, 409, 413, 415, status=201),
    openapi_extra={"requestBody": request_body(CreateBody), "security": SESSION},
)
async def create(request: Request, resources: ResourcesDep) -> Response:
    """The answer shows the secret, once: it signs whatever is sent."""
    user = await signed_in(request, resources)
    body = parse_body(CreateBody, await read_body(request))
    member = await member_for(user, body.client_id, resources)
    member.require(MANAGERS)
    webhook_id = resources.new_id()
    secret, sealed = _new_secret(resources, member.tenant, webhook_id)
    new = NewWebhook(
        id=webhook_id,
        label=check_label(body.label),
        url=_url(body.url, resources),
        events=check_events(body.events),
        retry_policy=body.retry_policy,
        secret_sealed=sealed,
    )
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        created = await WebhookRepository(connection, member.tenant).create(new, resources.now())
    return _told(WebhookWithSecret(webhook=created, secret=secret), status=201)


@router.get(
    _WEBHOOK,
    summary="One webhook",
    responses=dashboard_answers(Webhook),
    openapi_extra={"parameters": _WEBHOOK_ID, "security": SESSION},
)
async def webhook(request: Request, resources: ResourcesDep) -> Response:
    """Also of a client whose plan has no webhooks any more."""
    member, webhook_id = await manager(request, resources)
    async with resources.database.tenant(member.tenant) as connection:
        found = await WebhookRepository(connection, member.tenant).read(webhook_id)
    return _told(found)


@router.patch(
    _WEBHOOK,
    summary="Change or pause a webhook",
    responses=dashboard_answers(Webhook, 402, 408, 413, 415),
    openapi_extra={
        "parameters": _WEBHOOK_ID,
        "requestBody": request_body(ChangeBody),
        "security": SESSION,
    },
)
async def change(request: Request, resources: ResourcesDep) -> Response:
    """Deliveries that wait are sent to the new URL. What happens during a pause can be replayed."""
    member, webhook_id = await manager(request, resources)
    wanted = _change(parse_body(ChangeBody, await read_body(request)), resources)
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        changed = await WebhookRepository(connection, member.tenant).change(
            webhook_id, wanted, resources.now()
        )
    return _told(changed)


@router.delete(
    _WEBHOOK,
    summary="Delete a webhook, with its deliveries",
    status_code=204,
    responses=dashboard_answers(None, status=204),
    openapi_extra={"parameters": _WEBHOOK_ID, "security": SESSION},
)
async def delete(request: Request, resources: ResourcesDep) -> Response:
    """What waits to be sent is not sent any more."""
    member, webhook_id = await manager(request, resources)
    async with resources.database.tenant(member.tenant) as connection:
        await WebhookRepository(connection, member.tenant).delete(webhook_id)
    return Response(status_code=204)


@_post("rotate", "Give it a new secret", RotateBody, WebhookWithSecret)
async def rotate(request: Request, resources: ResourcesDep) -> Response:
    """The answer shows the new secret, once. Until the overlap ends, both sign."""
    member, webhook_id = await manager(request, resources)
    body = parse_body(RotateBody, await read_optional_body(request))
    secret, sealed = _new_secret(resources, member.tenant, webhook_id)
    overlap = timedelta(hours=body.overlap_hours)
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        repository = WebhookRepository(connection, member.tenant)
        await repository.rotate(
            webhook_id, sealed, previous_until=resources.now() + overlap if overlap else None
        )
        rotated = await repository.read(webhook_id)
    return _told(WebhookWithSecret(webhook=rotated, secret=secret))


@_post("enable", "Turn it on again, and send it a test", EnableBody, EnableAnswer)
async def enable(request: Request, resources: ResourcesDep) -> Response:
    """Its count of failures begins again. What it has missed waits for a replay."""
    member, webhook_id = await manager(request, resources)
    parse_body(EnableBody, await read_optional_body(request))
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        enabled = await WebhookRepository(connection, member.tenant).enable(webhook_id)
        event = first_event(enabled.events)
        test_id = await _test(
            DeliveryReplay(connection, member.tenant), member.tenant, webhook_id, event, resources
        )
    await have_sent(resources, member.tenant, test_id)
    return _told(EnableAnswer(webhook=enabled, test_delivery_id=test_id, missed=enabled.missed))


@_post("test", "Send an example of an event", TestBody, DeliveryAnswer, status=202)
async def test(request: Request, resources: ResourcesDep) -> Response:
    """Of any event, and to a disabled webhook too. It does not count as a failure."""
    member, webhook_id = await manager(request, resources)
    body = parse_body(TestBody, await read_optional_body(request))
    async with subscriber(resources.database, member.tenant, resources.now()) as connection:
        tested = await WebhookRepository(connection, member.tenant).read(webhook_id)
        event = body.event or first_event(tested.events)
        delivery_id = await _test(
            DeliveryReplay(connection, member.tenant), member.tenant, webhook_id, event, resources
        )
    await have_sent(resources, member.tenant, delivery_id)
    return _told(DeliveryAnswer(delivery_id=delivery_id), status=202)


async def _test(
    replays: DeliveryReplay,
    tenant: TenantId,
    webhook_id: str,
    event: OutboundEventId,
    resources: Resources,
) -> str:
    now = resources.now()
    return await replays.test(
        webhook_id, event, render(sample(event), tenant, now), resources.new_id, now
    )


def _new_secret(resources: Resources, tenant: TenantId, webhook_id: str) -> tuple[str, str]:
    """To be shown, and to be stored."""
    secret = secret_of(secrets.token_bytes(SECRET_BYTES))
    return secret, seal_secret(resources.sealer, tenant, webhook_id, secret)


def _change(body: ChangeBody, resources: Resources) -> WebhookChange:
    """Raises InvalidBody, InvalidWebhook."""
    if body.is_active:
        raise InvalidWebhook("is_active : POST …/enable le réactive")
    if not body.model_fields_set:
        raise InvalidBody("aucun champ à modifier")
    return WebhookChange(
        label=None if body.label is None else check_label(body.label),
        url=None if body.url is None else _url(body.url, resources),
        events=None if body.events is None else check_events(body.events),
        retry_policy=body.retry_policy,
        pause=body.is_active is False,
    )


def _url(url: str, resources: Resources) -> str:
    return check_url(url, allow_private=resources.settings.webhooks.allow_private_addresses)


def _told(answer: BaseModel, status: int = 200) -> Response:
    return json_response(answer.model_dump(mode="json"), status=status)
