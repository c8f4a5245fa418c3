"""Trying a connection: one cheap read with its credentials, and nothing is changed by it.

The other side is asked outside any transaction. A connection that fails its trial stays as it is:
a shop may be away for a moment, and the agent's own calls decide what becomes of it.
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

# No shop counts its orders from here.
_NO_ORDER: Final = "0"


@runtime_checkable
class NamesAccount(Protocol):
    """A payment provider that says whose the credentials are."""

    async def account(self) -> str:
        """The account's id. Raises ActionRefused, ActionUnreachable."""


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
    """Connect a shop or helpdesk as `connect_integration` does, and try it once it is stored.

    Raises what that raises.
    """
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
    """What keeps the agent from using a connection now; None if nothing does.

    Raises RoleRequired, UnknownProvider, and IntegrationNotFound for one that has ended too.
    """
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
    """Note the account that the credentials have opened, where webhooks of the whole installation
    may name it. A name alone proves nothing: anybody can write one into the settings. A refusal
    that was noted is over with the trial."""
    if problem is None and integration.error_code == ActionForbidden.code:
        async with units.of(tenant) as work:
            await IntegrationRepository(work.connection, tenant).note_refusal(integration.id, None)
    if problem is not None or integration.only_listens:
        return
    account = await _opened_account(connectors, integration)
    if account is not None:
        async with units.of(tenant) as work:
            await IntegrationRepository(work.connection, tenant).prove(integration.id, account)


async def _opened_account(connectors: Connectors, integration: Integration) -> str | None:
    if integration.provider is Provider.SHOPIFY:
        # The shop's own address was asked.
        return integration.settings["shop"]
    if integration.provider is not Provider.STRIPE or "account" not in integration.settings:
        return None
    shop = connectors.shop(integration)
    if not isinstance(shop, NamesAccount):
        return None
    try:
        opened = await shop.account()
    except (ActionRefused, ActionUnreachable):
        # A restricted key may do its work and not read this.
        return None
    return opened if opened == integration.settings["account"] else None


async def _try(connectors: Connectors, integration: Integration) -> Problem | None:
    """A connection that only listens, and one that nothing is asked of, has no problem."""
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
