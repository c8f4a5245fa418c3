"""The log of inbound webhooks. Members see the outcomes, and managers also the content."""

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.logged_webhook import LoggedWebhook
from domain.tenants.actor import MANAGERS, Actor
from store.inbound.log import InboundLogRepository


async def read_logged(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, webhook_id: str
) -> LoggedWebhook:
    """Return one webhook from the inbound log, with its content for managers. Raises
    InboundWebhookNotFound."""
    found = await InboundLogRepository(connection, tenant).one(webhook_id)
    if actor.may(MANAGERS):
        return found
    return found.model_copy(update={"body": None, "headers": {}})
