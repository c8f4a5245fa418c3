"""Dashboard requests about webhooks."""

from typing import Any

import httpx

from adapters.system import utc_now
from domain.core import names
from domain.webhooks.delivery import DeliveryAttempt, FailureKind
from domain.webhooks.secret import unseal_secret
from domain.webhooks.signature import TIMESTAMP
from store.webhooks.deliveries import DeliveryRepository, Outgoing
from store.webhooks.tables import webhook_subscriptions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import subscribe, tell

WEBHOOKS = "/api/dashboard/webhooks"
NEW: dict[str, Any] = {
    "label": "Commandes",
    "url": "https://hooks.example.com/service",
    "events": ["ticket.resolved", "ticket.escalated"],
}

Call = tuple[str, str, dict[str, Any] | None]
"""Method, path below WEBHOOKS, and the smallest body."""

# Each route for one webhook.
ABOUT_ONE: dict[str, Call] = {
    "read": ("GET", "/{webhook_id}", None),
    "change": ("PATCH", "/{webhook_id}", {"label": "Autre"}),
    "rotate": ("POST", "/{webhook_id}/rotate", None),
    "enable": ("POST", "/{webhook_id}/enable", None),
    "test": ("POST", "/{webhook_id}/test", None),
    "verify": (
        "POST",
        "/{webhook_id}/verify",
        {"body": "{}", "signature": "v1=00", "timestamp": "1"},
    ),
    "deliveries": ("GET", "/{webhook_id}/deliveries", None),
    "delivery": ("GET", "/{webhook_id}/deliveries/{delivery_id}", None),
    "replay": ("POST", "/{webhook_id}/deliveries/{delivery_id}/replay", None),
    "replay_since": ("POST", "/{webhook_id}/replay", {"since": "2026-11-01T00:00:00Z"}),
    "delete": ("DELETE", "/{webhook_id}", None),
}
CHANGES = ("change", "rotate", "enable", "test", "verify", "replay", "replay_since")
"""Requests that require a plan with webhooks. Reading and deleting do not require one."""


async def ask(
    front: LiveEngine,
    what: str,
    headers: dict[str, str],
    webhook_id: str,
    delivery_id: str = "",
    /,
    **body: object,
) -> httpx.Response:
    """Send the request. `body`: replaces or extends the smallest body."""
    method, path, least = ABOUT_ONE[what]
    url = WEBHOOKS + path.format(webhook_id=webhook_id, delivery_id=delivery_id)
    json = {**(least or {}), **body} or None
    return await front.http.request(method, url, json=json, headers=headers)


async def create(front: LiveEngine, headers: dict[str, str], /, **body: object) -> httpx.Response:
    """Create a webhook. `body`: extends NEW. A value of None omits the field."""
    json = {name: value for name, value in {**NEW, **body}.items() if value is not None}
    return await front.http.post(WEBHOOKS, json=json, headers=headers)


async def end(
    front: LiveEngine,
    shop: Shop,
    delivery_id: str,
    failure: FailureKind | None = None,
    headers: dict[str, str] | None = None,
    *,
    is_answered: bool = True,
) -> None:
    """End the delivery as if it had been sent."""
    async with front.database.tenant(shop.tenant) as connection:
        repository = DeliveryRepository(connection, shop.tenant)
        outgoing = await repository.begin(delivery_id, 1, utc_now())
        assert isinstance(outgoing, Outgoing)
        status = 500 if failure else 200
        done = DeliveryAttempt(failure, 12, response_status=status if is_answered else None)
        await repository.finish(
            outgoing, 1, done, headers or {TIMESTAMP: "1"}, retry_in_s=None, now=utc_now()
        )


async def is_started(front: LiveEngine, shop: Shop, first_delivery_id: str) -> bool:
    """Return whether sending of these deliveries was started."""
    workflow_id = names.send_webhooks_id(shop.client_id, first_delivery_id)
    described = await front.client.get_workflow_handle(workflow_id).describe()
    return described.workflow_type == names.SEND_WEBHOOKS


async def all_of(front: LiveEngine, headers: dict[str, str], **query: str) -> list[dict[str, Any]]:
    answer = await front.http.get(WEBHOOKS, params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["webhooks"]
    return found


async def ready(front: LiveEngine, shop: Shop) -> tuple[str, str]:
    """Create a webhook and an ended delivery, and return their ids."""
    sealer = front.app.state.resources.sealer
    webhook = await subscribe(front.database, shop, sealer=sealer)
    (delivery_id,) = await tell(front.database, shop)
    await end(front, shop, delivery_id)
    return webhook.id, delivery_id


async def signs(front: LiveEngine, shop: Shop, webhook_id: str) -> str:
    """Return the stored secret, unsealed."""
    row = await only_row(front.database, webhook_subscriptions, id=webhook_id)
    sealer = front.app.state.resources.sealer
    return unseal_secret(sealer, shop.client_id, webhook_id, row["secret_sealed"])
