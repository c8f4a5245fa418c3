"""Which clients may use webhooks, asked before anything is done with one."""

from services.core.unit_of_work import UnitOfWork
from store.tenants.accounts import AccountRepository
from store.webhooks.subscriptions import WebhookRepository


async def subscriber(work: UnitOfWork) -> WebhookRepository:
    """The webhooks of a client whose plan has them. Raises PlanRequired, ClientNotFound."""
    subscription = await AccountRepository(work.connection, work.tenant).subscription()
    subscription.require_webhooks(work.now)
    return WebhookRepository(work.connection, work.tenant)
