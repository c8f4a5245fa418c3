"""Check whether a client pays. The limits on exports and streams are higher for paying clients."""

from datetime import datetime

from sqlalchemy.exc import ProgrammingError

from domain.core.ids import TenantId
from domain.integrations.mail_allowance import is_accountable
from domain.tenants.errors import ClientNotFound, NoClient
from store.core.database import Database
from store.tenants.accounts import AccountRepository


async def is_payer(database: Database, tenant: TenantId, now: datetime) -> bool:
    """Return True if the client's plan is paid for or was granted by an operator.

    Return False if it cannot be read: the export then leaves that section empty. Raises NoClient,
    EngineUnavailable.
    """
    try:
        async with database.reading(tenant) as connection:
            subscription = await AccountRepository(connection, tenant).subscription()
    except ClientNotFound:
        raise NoClient from None
    except ProgrammingError:
        return False
    return is_accountable(subscription, now)


async def has_plan(database: Database, tenant: TenantId, now: datetime) -> bool:
    """Return the same as `is_payer`, but False if the client is being erased. Raises
    EngineUnavailable."""
    try:
        return await is_payer(database, tenant, now)
    except NoClient:
        return False
