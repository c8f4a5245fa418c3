"""The connection test: one inexpensive read with the connection's credentials.

The provider is called outside any transaction. A failure does not change the connection's status,
because a shop may be briefly unavailable. If the credentials are rejected, installation-wide
webhooks are no longer routed to the client.
"""

from collections.abc import Mapping
from typing import Final, Protocol, runtime_checkable

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.integrations.errors import ActionForbidden, ActionRefused, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.ports import Connectors
from domain.integrations.providers import HELPDESKS, SHOPS, Provider
from domain.integrations.trial import Problem, TriedIntegration
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitsOfWork
from services.integrations.connections import connect_integration
from store.integrations.integrations import IntegrationRepository

# An order number that does not exist in any shop.
_NO_ORDER: Final = "0"


@runtime_checkable
class NamesAccount(Protocol):
    """A provider that can return the account of its credentials."""

    async def account(self) -> str:
        """Return the account's id. Raises ActionRefused, ActionUnreachable."""


async def connect_and_try(
    units: UnitsOfWork,
    actor: Actor,
    tenant: TenantId,
    provider: Provider,
    *,
    settings: Mapping[str, str],
    credentials: Mapping[str, str],
    sealer: Sealer,
    connectors: Connectors,
) -> TriedIntegration:
    """Connect a shop or helpdesk as `connect_integration` does, then test the stored connection.
    Raises the same errors as `connect_integration`."""
    async with units.of(tenant) as work:
        made = await connect_integration(
            work, actor, provider, settings, credentials, sealer=sealer
        )
        stored = await IntegrationRepository(work.connection, tenant).usable(made.id)
    problem = await _try(connectors, stored)
    await _prove(units, tenant, stored, problem, connectors)
    return TriedIntegration(**made.model_dump(), problem=problem)


async def try_integration(
    units: UnitsOfWork,
    actor: Actor,
    tenant: TenantId,
    integration_id: str,
    *,
    connectors: Connectors,
) -> Problem | None:
    """Test a connection. Return the problem that prevents its use, or None. Raises RoleRequired,
    UnknownProvider, and IntegrationNotFound for an unknown or ended connection."""
    actor.require(MANAGERS)
    async with units.of(tenant) as work:
        stored = await IntegrationRepository(work.connection, tenant).usable(integration_id)
        work.note(actor, "integration tried", integration_id=integration_id)
    problem = await _try(connectors, stored)
    await _prove(units, tenant, stored, problem, connectors)
    return problem


async def _prove(
    units: UnitsOfWork,
    tenant: TenantId,
    integration: Integration,
    problem: Problem | None,
    connectors: Connectors,
) -> None:
    """Store the account with which the connection has authenticated, for routing installation-wide
    webhooks.

    The settings' account name is not trusted, because anyone can enter it. A successful test also
    clears a stored error.
    """
    if problem is None and integration.error_code == ActionForbidden.code:
        async with units.of(tenant) as work:
            await IntegrationRepository(work.connection, tenant).note_refusal(integration.id, None)
    if problem is Problem.NOT_AUTHORIZED:
        async with units.of(tenant) as work:
            await IntegrationRepository(work.connection, tenant).doubt(integration.id, work.now)
    if problem is not None or integration.only_listens:
        return
    account = await _opened_account(connectors, integration)
    if account is not None:
        async with units.of(tenant) as work:
            await IntegrationRepository(work.connection, tenant).prove(integration.id, account)


async def _opened_account(connectors: Connectors, integration: Integration) -> str | None:
    if integration.provider is Provider.SHOPIFY:
        # The request was sent to the shop's own address, which proves the account.
        return integration.settings["shop"]
    if integration.provider is not Provider.STRIPE or "account" not in integration.settings:
        return None
    shop = connectors.shop(integration)
    if not isinstance(shop, NamesAccount):
        return None
    try:
        opened = await shop.account()
    except (ActionRefused, ActionUnreachable):
        # A restricted key may be valid without permission to read the account, so this error does
        # not indicate a problem with the connection.
        return None
    return opened if opened == integration.settings["account"] else None


async def _try(connectors: Connectors, integration: Integration) -> Problem | None:
    """Test a connection, and return its problem, or None. A connection that the agent never calls
    is not tested, and None is returned."""
    if integration.only_listens or integration.provider not in SHOPS | HELPDESKS:
        return None
    try:
        if integration.provider in SHOPS:
            await connectors.shop(integration).find_order(_NO_ORDER, None)
        else:
            await connectors.helpdesk(integration).check()
    except (ActionRefused, ActionUnreachable) as error:
        return Problem(error.code)
    return None
