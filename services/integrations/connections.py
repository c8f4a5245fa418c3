"""What people do with a client's integrations: the shops and helpdesks that its agent may ask and
act in."""

from collections.abc import Mapping
from typing import Final

from domain.core.ports import Sealer
from domain.inbound.platform_catalogue import DUTIFUL
from domain.integrations.credentials import new_integration
from domain.integrations.integration import Integration, IntegrationEntry
from domain.integrations.providers import Provider
from domain.tenants.actor import MANAGERS, Actor, ActorKind
from services.core.unit_of_work import UnitOfWork
from store.inbound.endpoints import EndpointRepository
from store.integrations.integrations import IntegrationRepository

# Whoever works on this machine may name what lies on it too.
_OF_THIS_MACHINE: Final = frozenset({ActorKind.OPERATOR, ActorKind.SYSTEM})


async def connect_integration(
    work: UnitOfWork,
    actor: Actor,
    provider: Provider,
    settings: Mapping[str, str],
    credentials: Mapping[str, str],
    *,
    sealer: Sealer,
) -> IntegrationEntry:
    """Connect a shop or helpdesk; a connection to the same provider that was there ends, as by
    `disconnect_integration`. Credentials are not tried here: `connect_and_try` does both.

    Raises RoleRequired, InvalidIntegration, ClientNotFound.
    """
    actor.require(MANAGERS)
    integration = new_integration(
        work.new_id(),
        provider,
        settings,
        credentials,
        sealer,
        by_operator=actor.kind in _OF_THIS_MACHINE,
    )
    return await _store(work, actor, integration)


async def connect_demo_shop(
    work: UnitOfWork, actor: Actor, path: str, *, sealer: Sealer
) -> IntegrationEntry:
    """Connect the client's own demo shop. `path`: from `DemoShops`, never from a person.

    Raises RoleRequired, ClientNotFound.
    """
    actor.require(MANAGERS)
    shop = new_integration(
        work.new_id(), Provider.DEMO_SHOP, {"path": path}, {}, sealer, by_operator=True
    )
    return await _store(work, actor, shop)


async def _store(work: UnitOfWork, actor: Actor, integration: Integration) -> IntegrationEntry:
    integrations = IntegrationRepository(work.connection, work.tenant)
    work.deliver(*await integrations.connect(integration, work.now, work.new_id))
    await EndpointRepository(work.connection, work.tenant).close_ended(but_of=DUTIFUL)
    ids = {"integration_id": integration.id, "provider": integration.provider.value}
    work.note(actor, "integration connected", **ids)
    return await integrations.entry(integration.id)


async def disconnect_integration(work: UnitOfWork, actor: Actor, integration_id: str) -> None:
    """End a connection, of an unknown provider too, and erase its credentials. Its address for
    webhooks takes its platform's duties for DUTIES_LAST more, and nothing else. One that has ended
    stays as it is.

    Raises RoleRequired, IntegrationNotFound.
    """
    actor.require(MANAGERS)
    integrations = IntegrationRepository(work.connection, work.tenant)
    await integrations.require(integration_id)
    work.deliver(*await integrations.disconnect(integration_id, work.now, work.new_id))
    await EndpointRepository(work.connection, work.tenant).close_ended(but_of=DUTIFUL)
    work.note(actor, "integration disconnected", integration_id=integration_id)
