"""The demo shop's inbound endpoints, for a Shopify shop, a helpdesk and a mail provider."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from demo.helpdesk import AGENT, DemoDesk
from demo.webhook import DEMO
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.inbound.endpoint import SECRET_BYTES, TOKEN_BYTES, WantedEndpoint
from domain.integrations.integration import BASE_URL
from domain.integrations.providers import Provider
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.inbound.endpoints import DrawnBytes, open_endpoint
from services.integrations.connections import connect_integration, disconnect_integration
from store.integrations.integrations import IntegrationRepository

SHOP_DOMAIN: Final = "maison-lavande.myshopify.com"


@dataclass(frozen=True, slots=True)
class HubAddress:
    """The inbound address for a platform's webhooks. `secret` is the signing secret, or empty if
    the platform does not sign its webhooks."""

    path: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class DemoHub:
    shopify: HubAddress
    zendesk: HubAddress
    postmark: HubAddress

    def addresses(self) -> tuple[tuple[Provider, HubAddress], ...]:
        return (
            (Provider.SHOPIFY, self.shopify),
            (Provider.ZENDESK, self.zendesk),
            (Provider.POSTMARK, self.postmark),
        )


@dataclass(frozen=True, slots=True)
class _Platform:
    """The connection of one platform. `secret` is the platform's signing secret, or empty if the
    platform does not sign its webhooks."""

    provider: Provider
    settings: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[str, str] = field(default_factory=dict)
    secret: str = ""


async def open_hub(work: UnitOfWork, sealer: Sealer, desk: DemoDesk) -> DemoHub:
    """Reconnect the three platforms, each with a new inbound address, and return the addresses.
    `desk` is the helpdesk that receives the answers."""
    shopify = _Platform(
        Provider.SHOPIFY, settings={"shop": SHOP_DOMAIN}, secret=secrets.token_hex(16)
    )
    zendesk = _Platform(
        Provider.ZENDESK,
        settings={"subdomain": "maison-lavande", "email": AGENT, BASE_URL: desk.url},
        credentials={"api_token": desk.token},
        secret=secrets.token_hex(16),
    )
    return DemoHub(
        shopify=await _open(work, sealer, shopify),
        zendesk=await _open(work, sealer, zendesk),
        postmark=await _open(work, sealer, _Platform(Provider.POSTMARK)),
    )


async def close_helpdesk(units: UnitsOfWork, tenant: TenantId, desk: DemoDesk) -> None:
    """Disconnect the demo helpdesk before it stops, so that the service does not poll it. If the
    merchant has since connected another helpdesk, that helpdesk stays connected."""
    async with units.database.reading(tenant) as connection:
        connected = await IntegrationRepository(connection, tenant).connected_to(Provider.ZENDESK)
    if connected is not None and connected.settings.get(BASE_URL) == desk.url:
        async with units.of(tenant) as work:
            await disconnect_integration(work, DEMO, connected.id)


async def _open(work: UnitOfWork, sealer: Sealer, of: _Platform) -> HubAddress:
    made = await connect_integration(
        work, DEMO, of.provider, of.settings, of.credentials, sealer=sealer
    )
    drawn = DrawnBytes(secrets.token_bytes(TOKEN_BYTES), secrets.token_bytes(SECRET_BYTES))
    wanted = WantedEndpoint(of.secret or None)
    opened = await open_endpoint(work, DEMO, made.id, wanted, drawn, sealer=sealer)
    if opened.token is None:
        raise LookupError("the new inbound address has no token")
    return HubAddress(f"/api/webhooks/{of.provider}/{opened.token}", of.secret)
