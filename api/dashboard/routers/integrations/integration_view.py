"""The page for one connection, rendered by several routes."""

from typing import Final

from starlette.responses import Response

from adapters.demo.folder import sample_orders
from api.dashboard.page import Page
from api.dashboard.typed import SECRET
from api.route import PathId
from domain.inbound.endpoint import SECRETS_OF_OURS, endpoint_url
from domain.inbound.platform_catalogue import PLATFORMS
from domain.integrations.errors import IntegrationNotFound
from domain.integrations.integration import IntegrationEntry, IntegrationStatus
from domain.integrations.providers import HELPDESKS, OF_MERCHANTS, PROVIDERS, SHOPS, Provider
from domain.integrations.trial import Problem
from domain.tenants.actor import MANAGERS
from services.inbound.endpoints import ShownEndpoint
from store.inbound.endpoints import EndpointRepository
from store.inbound.last_signs import LastSignsReader
from store.integrations.integrations import IntegrationRepository
from store.tenants.loosenings import LooseningRepository

LIST: Final = "/app/integrations"
ONE: Final = f"{LIST}/{{integration_id}}"
ONE_ID: Final = PathId("integration_id", "integration", IntegrationNotFound)
_WORKS: Final = "works"


def tried_at(integration_id: str, problem: Problem | None) -> str:
    """Return the URL of the page to show after a connection test."""
    return f"{ONE.format(integration_id=integration_id)}?tried={problem or _WORKS}"


async def one_page(page: Page, shown: ShownEndpoint | None = None) -> Response:
    """Return a connection's page. `shown`: the endpoint that was just opened or rotated, with its
    secret."""
    async with page.resources.database.reading(page.tenant) as connection:
        found = await IntegrationRepository(connection, page.tenant).entry(page.record_id)
        endpoint = await EndpointRepository(connection, page.tenant).find(found.id)
        signs = await LastSignsReader(connection, page.tenant).of([found.id])
        settings_wait = await LooseningRepository(connection, page.tenant).waits_for(
            "connection", found.id
        )
    one = ONE.format(integration_id=found.id)
    platform = PLATFORMS.get(found.provider)
    tried = page.request.query_params.get("tried", "")
    return page.render(
        "integrations/integration.html",
        one=found,
        form=one,
        is_live=found.status is not IntegrationStatus.DISCONNECTED,
        is_tried=found.provider in SHOPS | HELPDESKS,
        samples=sample_orders(page.now) if _has_samples(page, found) else (),
        is_ours=found.provider in OF_MERCHANTS,
        system=PROVIDERS[found.provider].of.value,
        signs=signs[found.id],
        settings_wait=settings_wait,
        tried=tried if tried in {*Problem, _WORKS} else "",
        platform=platform,
        gives_secret=platform is not None and platform.signs and not _makes_secret(found.provider),
        takes_mapping=found.provider is Provider.GENERIC,
        endpoint=endpoint,
        shown=shown,
        shown_url=_url(page, shown),
        typed=await page.typed(f"{one}/inbound", {"mapping": ""}),
        secret=f"{SECRET}secret",
        may_change=page.may(MANAGERS),
    )


def _has_samples(page: Page, found: IntegrationEntry) -> bool:
    """Return True if the connection is the client's own demo shop, whose orders the page can
    list."""
    shops = page.resources.demo_shops
    return shops is not None and shops.is_own(page.tenant, found.settings.get("path", ""))


def _makes_secret(provider: Provider) -> bool:
    return provider in SECRETS_OF_OURS


def _url(page: Page, shown: ShownEndpoint | None) -> str:
    if shown is None:
        return ""
    origin = page.resources.settings.server.origin
    return endpoint_url(origin, shown.entry.provider, shown.token)
