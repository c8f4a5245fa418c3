"""The engine with a webhook worker, and the results for a shop's webhook."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from temporalio.client import WorkflowHandle

from adapters.seal import FernetSealer
from domain.core import names
from domain.webhooks.webhook import RetryPolicy
from store.webhooks.tables import webhook_deliveries
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.webhook_receiver import WebhookReceiver
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import Subscribed, subscribe


@asynccontextmanager
async def sending_engine(
    database_url: str, temporal: TemporalServer, receiver: WebhookReceiver, *, smtp_url: str
) -> AsyncIterator[LiveEngine]:
    """Yield an engine that trusts this receiver's authority. No worker is running yet."""
    async with live_engine(
        database_url,
        temporal.address,
        temporal.take_namespace(),
        webhook_allow_private_addresses=True,
        webhook_ca_file=receiver.ca_file,
        smtp_url=smtp_url,
    ) as engine:
        yield engine


async def subscribed(
    engine: LiveEngine,
    shop: Shop,
    receiver: WebhookReceiver,
    *,
    events: tuple[str, ...] = ("*",),
    retry_policy: RetryPolicy = RetryPolicy.NONE,
) -> Subscribed:
    sealer = FernetSealer(engine.settings.seal.key.get_secret_value())
    return await subscribe(
        engine.database,
        shop,
        url=receiver.url,
        events=events,
        retry_policy=retry_policy,
        sealer=sealer,
    )


async def ended(engine: LiveEngine, delivery_id: str) -> dict[str, Any]:
    """Wait until a delivery has ended, and return its record."""

    async def row() -> dict[str, Any] | None:
        found = await only_row(engine.database, webhook_deliveries, id=delivery_id)
        return None if found["status"] == "pending" else found

    return await eventually(row)


def delivery_of(engine: LiveEngine, shop: Shop, delivery_id: str) -> WorkflowHandle[Any, Any]:
    return engine.client.get_workflow_handle(names.deliver_webhook_id(shop.client_id, delivery_id))
