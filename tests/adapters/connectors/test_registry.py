"""From an integration to its connector: what is opened, and what is never called."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest

from adapters.connectors.freshdesk import Freshdesk
from adapters.connectors.gorgias import Gorgias
from adapters.connectors.http import open_client
from adapters.connectors.intercom import Intercom
from adapters.connectors.prestashop import PrestaShop
from adapters.connectors.registry import ConnectorRegistry
from adapters.connectors.shopify import Shopify
from adapters.connectors.stripe import Stripe
from adapters.connectors.woocommerce import WooCommerce
from adapters.connectors.zendesk import Zendesk
from adapters.demo.shop import DemoShop
from adapters.seal import FernetSealer, new_seal_key
from domain.integrations.errors import ActionRefused, NotAuthorized
from domain.integrations.integration import Integration
from domain.integrations.providers import HELPDESKS, SHOPS, Provider

SEALER = FernetSealer(new_seal_key())
CANARY = "canary-5d1f0a77"
SETTINGS = {
    Provider.SHOPIFY: {"shop": "acme.myshopify.com"},
    Provider.STRIPE: {},
    Provider.WOOCOMMERCE: {"url": "https://shop.example"},
    Provider.PRESTASHOP: {"url": "https://shop.example/fr"},
    Provider.DEMO_SHOP: {"path": "shop.db"},
    Provider.ZENDESK: {"subdomain": "acme", "email": "agent@acme.example"},
    Provider.GORGIAS: {"domain": "acme", "email": "support@acme.example"},
    Provider.INTERCOM: {"admin_id": "991"},
    Provider.FRESHDESK: {"domain": "acme", "email": "agent@acme.example"},
}
SECRETS = {
    Provider.SHOPIFY: ["access_token"],
    Provider.STRIPE: ["api_key"],
    Provider.WOOCOMMERCE: ["consumer_key", "consumer_secret"],
    Provider.PRESTASHOP: ["webservice_key"],
    Provider.DEMO_SHOP: [],
    Provider.ZENDESK: ["api_token"],
    Provider.GORGIAS: ["email", "api_key"],
    Provider.INTERCOM: ["access_token"],
    Provider.FRESHDESK: ["api_key"],
}
CLASSES = {
    Provider.SHOPIFY: Shopify,
    Provider.STRIPE: Stripe,
    Provider.WOOCOMMERCE: WooCommerce,
    Provider.PRESTASHOP: PrestaShop,
    Provider.DEMO_SHOP: DemoShop,
    Provider.ZENDESK: Zendesk,
    Provider.GORGIAS: Gorgias,
    Provider.INTERCOM: Intercom,
    Provider.FRESHDESK: Freshdesk,
}


def integration(provider: Provider, sealed: str | None = None, **settings: str) -> Integration:
    if sealed is None:
        sealed = SEALER.seal(json.dumps(dict.fromkeys(SECRETS[provider], CANARY)))
    return Integration(
        id="i", provider=provider, settings={**SETTINGS[provider], **settings}, sealed=sealed
    )


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


@pytest.fixture
def registry(http: httpx.AsyncClient) -> ConnectorRegistry:
    return ConnectorRegistry(SEALER, http, allow_loopback=True)


@pytest.fixture
def strict(http: httpx.AsyncClient) -> ConnectorRegistry:
    return ConnectorRegistry(SEALER, http, allow_loopback=False)


@pytest.mark.parametrize("provider", list(CLASSES))
async def test_every_provider_has_its_connector(
    registry: ConnectorRegistry, provider: Provider
) -> None:
    given = integration(provider)
    for of, providers in ((registry.shop, SHOPS), (registry.helpdesk, HELPDESKS)):
        if provider in providers:
            connector = of(given)
            assert type(connector) is CLASSES[provider]
            assert CANARY not in repr(connector)
        else:
            with pytest.raises(ActionRefused):
                of(given)


async def test_what_is_neither_shop_nor_helpdesk_is_not_called(registry: ConnectorRegistry) -> None:
    assert CLASSES.keys() == SHOPS | HELPDESKS
    for provider in set(Provider) - SHOPS - HELPDESKS:
        given = Integration(id="i", provider=provider, sealed=SEALER.seal("{}"))
        for of in (registry.shop, registry.helpdesk):
            with pytest.raises(ActionRefused):
                of(given)


@pytest.mark.parametrize("provider", [Provider.SHOPIFY, Provider.WOOCOMMERCE])
async def test_a_connection_that_only_listens_is_not_called(
    registry: ConnectorRegistry, provider: Provider
) -> None:
    with pytest.raises(ActionRefused):
        registry.shop(integration(provider, sealed=""))


@pytest.mark.parametrize(
    "sealed",
    [
        pytest.param("damaged", id="damaged"),
        pytest.param(FernetSealer(new_seal_key()).seal('{"access_token": "x"}'), id="other key"),
        pytest.param(SEALER.seal(CANARY), id="no JSON"),
        pytest.param(SEALER.seal(f'["{CANARY}"]'), id="no object"),
        pytest.param(SEALER.seal(f'{{"access_token": {{"{CANARY}": 1}}}}'), id="token no text"),
        pytest.param(SEALER.seal("{}"), id="no token"),
        pytest.param(SEALER.seal('{"access_token": ""}'), id="empty token"),
        pytest.param(SEALER.seal(f'{{"access_token": "{CANARY}\\nx"}}'), id="two lines"),
        pytest.param(
            SEALER.seal(f'{{"access_token": "{CANARY}", "{CANARY}": "x"}}'), id="unknown field"
        ),
    ],
)
async def test_credentials_that_cannot_be_used(registry: ConnectorRegistry, sealed: str) -> None:
    with pytest.raises(NotAuthorized) as caught:
        registry.shop(integration(Provider.SHOPIFY, sealed))

    error: BaseException | None = caught.value
    while error is not None:
        assert CANARY not in f"{error!r} {error}"
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(
    "shop",
    [
        "",
        "evil.example",
        "acme.myshopify.com.evil.example",
        "acme.myshopify.com/x",
        "evil.example/.myshopify.com",
        "evil.example#.myshopify.com",
        "user@acme.myshopify.com",
        "acme.myshopify.com:8080",
        "a.b.myshopify.com",
        "acme.myshopify.com\n",
        "-acme.myshopify.com",
        "127.0.0.1",
        "аcme.myshopify.com",
    ],
)
async def test_no_other_shop_is_called(registry: ConnectorRegistry, shop: str) -> None:
    with pytest.raises(ActionRefused):
        registry.shop(integration(Provider.SHOPIFY, shop=shop))


@pytest.mark.parametrize(
    "base_url",
    [
        "http://evil.example",
        "https://evil.example",
        "http://127.0.0.1.evil.example:80",
        "http://127.0.0.1:80@evil.example",
        "http://localhost.evil.example:80",
        "http://169.254.169.254:80",
        "http://10.0.0.1:80",
        "http://[::ffff:10.0.0.1]:80",
        "file:///etc/passwd",
        "",
    ],
)
@pytest.mark.parametrize("provider", [Provider.SHOPIFY, Provider.STRIPE])
async def test_no_other_address_is_called(
    registry: ConnectorRegistry, provider: Provider, base_url: str
) -> None:
    with pytest.raises(ActionRefused):
        registry.shop(integration(provider, base_url=base_url))


@pytest.mark.parametrize("provider", list(CLASSES))
async def test_this_machine_only_where_it_is_allowed(
    registry: ConnectorRegistry, strict: ConnectorRegistry, provider: Provider
) -> None:
    settings = {} if provider is Provider.DEMO_SHOP else {"base_url": "http://127.0.0.1:9"}
    given = integration(provider, **settings)
    if provider in SHOPS:
        registry.shop(given)
        with pytest.raises(ActionRefused):
            strict.shop(given)
    else:
        registry.helpdesk(given)
        with pytest.raises(ActionRefused):
            strict.helpdesk(given)


async def test_elsewhere_it_always_is(strict: ConnectorRegistry) -> None:
    for provider in SHOPS - {Provider.DEMO_SHOP}:
        strict.shop(integration(provider))
    for provider in HELPDESKS & CLASSES.keys():
        strict.helpdesk(integration(provider))
