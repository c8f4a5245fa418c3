"""A check that the client's plan includes webhooks. Every webhook use case except `read_delivery`
and `delete_webhook` calls it first."""

from services.core.unit_of_work import UnitOfWork
from store.tenants.accounts import AccountRepository
from store.webhooks.subscriptions import WebhookRepository


async def subscriber(work: UnitOfWork) -> WebhookRepository:
    """Check that the client's plan includes webhooks, and return the client's webhook repository.
    Raises PlanRequired, ClientNotFound."""
    subscription = await AccountRepository(work.connection, work.tenant).subscription()
    subscription.require_webhooks(work.now)
    return WebhookRepository(work.connection, work.tenant)
