"""Which clients may use webhooks, asked before anything is done with one."""

from services.core.unit_of_work import UnitOfWork
from store.webhooks.subscriptions import WebhookRepository


async def subscriber(work: UnitOfWork) -> WebhookRepository:
    """The webhooks of a client whose plan has them. Raises PlanRequired, ClientNotFound."""
    webhooks = WebhookRepository(work.connection, work.tenant)
    await webhooks.require_plan(work.now)
    return webhooks
