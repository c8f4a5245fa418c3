"""The plan check that comes before every use of webhooks."""

from services.core.unit_of_work import UnitOfWork
from store.tenants.accounts import AccountRepository
from store.webhooks.subscriptions import WebhookRepository


async def subscriber(work: UnitOfWork) -> WebhookRepository:
    """Return the webhooks of a client if its plan has them. Raises PlanRequired, ClientNotFound."""
    subscription = await AccountRepository(work.connection, work.tenant).subscription()
    subscription.require_webhooks(work.now)
    return WebhookRepository(work.connection, work.tenant)
