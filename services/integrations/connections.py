"""Management of a client's integrations: the shops and helpdesks that the client's agent may read
and change."""

from collections.abc import Mapping
from typing import Final

from domain.core.ports import Sealer
from domain.inbound.platform_catalogue import DUTIFUL
from domain.integrations.credentials import new_integration
from domain.integrations.integration import Integration, IntegrationEntry
from domain.integrations.loosened_connection import held_settings, loosened_connection
from domain.integrations.providers import Provider
from domain.tenants.actor import MANAGERS, Actor, ActorKind
from domain.tenants.loosening import HeldTrust
from services.core.unit_of_work import UnitOfWork
from services.tenants.loosenings import note_loosened, withhold
from store.inbound.endpoints import EndpointRepository
from store.integrations.connection_settings import ConnectionSettings
from store.integrations.integrations import IntegrationRepository

# These actors work on the machine that runs the service, so their settings may contain paths on
# that machine.
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
    """Connect a shop or helpdesk without testing the credentials (see `connect_and_try`). An
    existing connection to the provider ends.

    A setting that expands the agent's permissions or trust is left out until a second manager
    approves. Raises RoleRequired, InvalidIntegration, ClientNotFound, TooManyLoosenings.
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
    return await _store(work, actor, await _without_held(work, actor, integration))


async def _without_held(work: UnitOfWork, actor: Actor, wanted: Integration) -> Integration:
    """Return the connection without the settings that require a second manager's approval."""
    before = await ConnectionSettings(work.connection, work.tenant).last(wanted.provider)
    found = loosened_connection(wanted.provider, before, wanted.settings)
    held = held_settings(before, wanted.settings)
    trust = HeldTrust(use="connection", id=wanted.id, settings=held)
    if await withhold(work, actor, trust, found):
        others = {name: one for name, one in wanted.settings.items() if name not in held}
        kept = {name: before[name] for name in held if name in before}
        return wanted.model_copy(update={"settings": {**others, **kept}})
    await note_loosened(work, actor, trust, found)
    return wanted


async def connect_demo_shop(
    work: UnitOfWork, actor: Actor, path: str, *, sealer: Sealer
) -> IntegrationEntry:
    """Connect the client's demo shop. `path` comes from `DemoShops`, never from user input. Raises
    RoleRequired, ClientNotFound."""
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
    """End a connection and erase its credentials, even of an unsupported provider.

    For COMPLIANCE_REQUESTS_LAST, the connection's endpoint still accepts compliance requests, but
    no other webhooks. A connection that has already ended stays unchanged. Raises RoleRequired,
    IntegrationNotFound.
    """
    actor.require(MANAGERS)
    integrations = IntegrationRepository(work.connection, work.tenant)
    await integrations.require(integration_id)
    work.deliver(*await integrations.disconnect(integration_id, work.now, work.new_id))
    await EndpointRepository(work.connection, work.tenant).close_ended(but_of=DUTIFUL)
    work.note(actor, "integration disconnected", integration_id=integration_id)
