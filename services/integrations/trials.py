"""Trying a connection: one cheap read with its credentials, and nothing is changed by it.

The other side is asked outside any transaction. A connection that fails its trial stays as it is:
a shop may be away for a moment, and the agent's own calls decide what becomes of it.
"""

from collections.abc import Mapping
from typing import Final

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.integrations.errors import ActionRefused, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.ports import Connectors
from domain.integrations.provider import HELPDESKS, SHOPS, Provider
from domain.integrations.trial import Problem, TriedIntegration
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitsOfWork
from services.integrations.connections import connect_integration
from store.integrations.integrations import IntegrationRepository

# No shop counts its orders from here.
_NO_ORDER: Final = "0"


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
    return TriedIntegration(**made.model_dump(), problem=await _try(connectors, stored))


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
    return await _try(connectors, stored)


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
