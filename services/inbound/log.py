"""Reading the inbound log: everybody of the client sees what came of a webhook, and managers what
it said."""

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.logged_webhook import LoggedWebhook
from domain.tenants.actor import MANAGERS, Actor
from store.inbound.log import InboundLogRepository


async def read_logged(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, webhook_id: str
) -> LoggedWebhook:
    """One webhook; its body for owners and admins alone. Raises InboundWebhookNotFound."""
    found = await InboundLogRepository(connection, tenant).one(webhook_id)
    if actor.may(MANAGERS):
        return found
    return found.model_copy(update={"body": None, "headers": {}})
