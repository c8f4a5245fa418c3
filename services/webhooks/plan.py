"""The plan check that precedes every use of webhooks."""

from services.core.unit_of_work import UnitOfWork
from store.tenants.accounts import AccountRepository
from store.webhooks.subscriptions import WebhookRepository


async def subscriber(work: UnitOfWork) -> WebhookRepository:
    """Return the client's webhooks, if its plan includes webhooks. Raises PlanRequired,
    ClientNotFound."""
    subscription = await AccountRepository(work.connection, work.tenant).subscription()
    subscription.require_webhooks(work.now)
    return WebhookRepository(work.connection, work.tenant)
