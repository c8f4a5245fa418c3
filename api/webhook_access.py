"""What the routes of webhooks share: who may use them, and who sends."""

import structlog
from fastapi import Request

from api.dashboard_access import MANAGERS, SignedInMember, member_of, signed_in
from api.resources import Resources
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId, parse_ulid
from domain.webhooks.errors import DeliveryNotFound, WebhookNotFound
from store.webhooks.subscriptions import client_of

_log = structlog.get_logger(__name__)


async def manager(request: Request, resources: Resources) -> tuple[SignedInMember, str]:
    """Who asks, and the webhook that it is about: an owner or admin of its client.

    Raises Unauthenticated, TooManyRequests, RoleRequired, and WebhookNotFound for another client's
    as well.
    """
    user = await signed_in(request, resources)
    webhook_id = parse_ulid(request.path_params["webhook_id"])
    if webhook_id is None:
        raise WebhookNotFound
    async with resources.database.service() as connection:
        client_id = await client_of(connection, webhook_id)
    member = await member_of(user, client_id, resources)
    if member is None:
        raise WebhookNotFound
    member.require(MANAGERS)
    return member, webhook_id


def delivery_of(request: Request) -> str:
    """The delivery that a path names. Raises DeliveryNotFound."""
    delivery_id = parse_ulid(request.path_params["delivery_id"])
    if delivery_id is None:
        raise DeliveryNotFound
    return delivery_id


async def have_sent(resources: Resources, tenant: TenantId, *delivery_ids: str) -> None:
    """After their commit. Whatever cannot be started now the sweeper starts."""
    if not delivery_ids:
        return
    try:
        await resources.engine.send_webhooks(tenant, delivery_ids)
    except EngineUnavailable as error:
        _log.warning("deliveries not started", delivery_id=delivery_ids[0], code=error.code)
