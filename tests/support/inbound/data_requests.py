"""Customers' data requests, as a shop's webhook leaves them."""

from adapters.system import new_ulid, utc_now
from domain.inbound.data_request import DUE_AFTER
from domain.integrations.providers import Provider
from store.core.database import Database
from store.inbound.data_requests import DataRequestRepository
from tests.support.inbound.log import a_sender
from tests.support.tenants.shop import Shop


async def data_requested(
    database: Database, shop: Shop, customer_email: str | None = "ann@x.example"
) -> str:
    integration_id = await a_sender(database, shop, Provider.SHOPIFY)
    request_id, now = new_ulid(), utc_now()
    async with database.tenant(shop.tenant) as connection:
        await DataRequestRepository(connection, shop.tenant).open(
            request_id, integration_id=integration_id, customer_email=customer_email,
            order_ids=("1",), now=now, due_at=now + DUE_AFTER,
        )  # fmt: skip
    return request_id
