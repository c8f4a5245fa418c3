"""/api/dashboard/webhooks: a client's webhooks, and the events that each webhook receives."""

import secrets
from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import InClientOf, ManagerDep, MemberAt, UserDep, check_chosen, member_for
from api.http.client_address import client_network
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.webhooks.subscription import (
    ChangeWebhookBody,
    DeliveryAnswer,
    EnableAnswer,
    EnableWebhookBody,
    NewWebhookBody,
    RotateSecretBody,
    TestWebhookBody,
    WebhookList,
    WebhookWithSecret,
)
from domain.tenants.actor import MANAGERS
from domain.webhooks.errors import WebhookNotFound
from domain.webhooks.signature import SECRET_BYTES
from domain.webhooks.webhook import Webhook
from services.webhooks.deliveries import send_test
from services.webhooks.subscriptions import (
    change_webhook,
    create_webhook,
    delete_webhook,
    enable_webhook,
    rotate_webhook,
)
from store.webhooks.subscriptions import WebhookRepository, client_of

router = APIRouter(route_class=DescribedRoute)

WEBHOOK: Final = "/api/dashboard/webhooks/{webhook_id}"
WebhookDep = Annotated[
    MemberAt,
    Depends(InClientOf(MANAGERS, PathId("webhook_id", "webhook", WebhookNotFound), client_of)),
]
"""A dependency that returns an owner or admin of the webhook's client. All webhook routes require
one of these roles."""

_WEBHOOKS: Final = "/api/dashboard/webhooks"


@router.get(_WEBHOOKS, operation_id="webhooks.list", summary="List a client's webhooks")
async def webhooks(member: ManagerDep, resources: ResourcesDep) -> WebhookList:
    """This operation requires the owner or admin role, like all webhook routes. The list is not
    paginated, because a client can have at most 100 webhooks."""
    async with resources.database.reading(member.tenant) as connection:
        found = await WebhookRepository(connection, member.tenant).all()
    return WebhookList(webhooks=found)


@router.post(
    _WEBHOOKS,
    operation_id="webhooks.create",
    summary="Create a webhook",
    status_code=201,
    responses=errors(402, 409),
)
async def create(
    request: Request,
    user: UserDep,
    body: Annotated[NewWebhookBody, Depends(JsonBody(NewWebhookBody))],
    resources: ResourcesDep,
) -> WebhookWithSecret:
    """Only this response contains the secret, which signs every delivery."""
    await check_chosen(user, body.client_id, resources)
    member = await member_for(user, body.client_id, resources, client_network(request))
    async with resources.work.of(member.tenant) as work:
        made = await create_webhook(
            work,
            member.actor,
            body.subscription,
            sealer=resources.sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
            allow_private=_allow_private(resources),
        )
    return WebhookWithSecret(webhook=made.webhook, secret=made.secret)


@router.get(WEBHOOK, operation_id="webhooks.get", summary="Get a webhook")
async def webhook(member: WebhookDep, resources: ResourcesDep) -> Webhook:
    """This operation is allowed even if the client's plan no longer includes webhooks."""
    async with resources.database.reading(member.tenant) as connection:
        return await WebhookRepository(connection, member.tenant).read(member.record_id)


@router.patch(
    WEBHOOK,
    operation_id="webhooks.update",
    summary="Change or pause a webhook",
    responses=errors(402),
)
async def change(
    member: WebhookDep,
    body: Annotated[ChangeWebhookBody, Depends(JsonBody(ChangeWebhookBody))],
    resources: ResourcesDep,
) -> Webhook:
    """Pending deliveries are sent to the new URL. Events that occur during a pause can be
    replayed."""
    wanted = body.change
    async with resources.work.of(member.tenant) as work:
        return await change_webhook(
            work, member.actor, member.record_id, wanted, allow_private=_allow_private(resources)
        )


@router.delete(
    WEBHOOK,
    operation_id="webhooks.delete",
    summary="Delete a webhook and its deliveries",
    status_code=204,
)
async def delete(member: WebhookDep, resources: ResourcesDep) -> Response:
    """Pending deliveries are not sent."""
    async with resources.work.of(member.tenant) as work:
        await delete_webhook(work, member.actor, member.record_id)
    return Response(status_code=204)


@router.post(
    f"{WEBHOOK}/rotate",
    operation_id="webhooks.rotate_secret",
    summary="Rotate a webhook's secret",
    responses=errors(402),
)
async def rotate(
    member: WebhookDep,
    body: Annotated[RotateSecretBody, Depends(JsonBody(RotateSecretBody, optional=True))],
    resources: ResourcesDep,
) -> WebhookWithSecret:
    """Only this response contains the new secret. Until the overlap ends, deliveries are signed
    with both secrets."""
    async with resources.work.of(member.tenant) as work:
        rotated = await rotate_webhook(
            work,
            member.actor,
            member.record_id,
            overlap=timedelta(hours=body.overlap_hours),
            sealer=resources.sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
        )
    return WebhookWithSecret(webhook=rotated.webhook, secret=rotated.secret)


@router.post(
    f"{WEBHOOK}/enable",
    operation_id="webhooks.enable",
    summary="Re-enable a webhook and send a test event",
    responses=errors(402),
)
async def enable(
    member: WebhookDep,
    _: Annotated[EnableWebhookBody, Depends(JsonBody(EnableWebhookBody, optional=True))],
    resources: ResourcesDep,
) -> EnableAnswer:
    """Resets the failure count. To send the missed events, start a replay."""
    async with resources.work.of(member.tenant) as work:
        enabled = await enable_webhook(work, member.actor, member.record_id)
    return EnableAnswer(
        webhook=enabled.webhook,
        test_delivery_id=enabled.test_delivery_id,
        missed=enabled.webhook.missed,
    )


@router.post(
    f"{WEBHOOK}/test",
    operation_id="webhooks.test",
    summary="Send a test event",
    status_code=202,
    responses=errors(402),
)
async def test(
    member: WebhookDep,
    body: Annotated[TestWebhookBody, Depends(JsonBody(TestWebhookBody, optional=True))],
    resources: ResourcesDep,
) -> DeliveryAnswer:
    """Sends a test event of any type, even to a disabled webhook. A failed test does not increase
    the webhook's failure count."""
    async with resources.work.of(member.tenant) as work:
        delivery_id = await send_test(work, member.actor, member.record_id, body.event)
    return DeliveryAnswer(delivery_id=delivery_id)


def _allow_private(resources: Resources) -> bool:
    return resources.settings.webhooks.allow_private_addresses
