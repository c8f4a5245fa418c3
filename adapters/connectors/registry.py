"""The registry that creates connectors for clients' integrations."""

from collections.abc import Mapping
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit

import httpx
from pydantic import TypeAdapter, ValidationError

from adapters.connectors import freshdesk, intercom
from adapters.connectors.freshdesk import Freshdesk
from adapters.connectors.freshdesk_articles import FreshdeskArticles
from adapters.connectors.gorgias import Gorgias
from adapters.connectors.guarded import GuardedHosts
from adapters.connectors.intercom import Intercom
from adapters.connectors.intercom_articles import IntercomArticles
from adapters.connectors.prestashop import PrestaShop
from adapters.connectors.prestashop_changes import PrestaShopChanges
from adapters.connectors.shopify import Shopify
from adapters.connectors.shopify_changes import ShopifyChanges
from adapters.connectors.slack import Slack
from adapters.connectors.stripe import Stripe
from adapters.connectors.stripe_access import StripeAccess
from adapters.connectors.woocommerce import WooCommerce
from adapters.connectors.woocommerce_changes import WooCommerceChanges
from adapters.connectors.zendesk import Zendesk, account_of
from adapters.connectors.zendesk_articles import ZendeskArticles
from adapters.connectors.zendesk_changes import ZendeskChanges
from adapters.demo.shop import DemoShop
from domain.content.ports import ArticleSource
from domain.core.errors import InvalidInput
from domain.core.ports import Sealer
from domain.inbound.polling import Polls
from domain.integrations.errors import ActionRefused, NotAuthorized
from domain.integrations.integration import BASE_URL, Integration, check_credentials, check_settings
from domain.integrations.ports import Helpdesk, NoticeBoard, Shop
from domain.integrations.providers import PROVIDERS, Provider

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_STRINGS: Final = TypeAdapter(dict[str, str])


class ConnectorRegistry:
    """A registry that decrypts an integration's credentials and creates a connector for a single
    use."""

    def __init__(self, sealer: Sealer, http: httpx.AsyncClient, *, allow_loopback: bool) -> None:
        """Create the registry. `allow_loopback` (ALLOW_LOOPBACK_TARGETS) allows a loopback
        `base_url` and demo shop files. Otherwise, only public addresses are called, over TLS."""
        self._sealer = sealer
        self._http = http
        self._allow_loopback = allow_loopback

    def shop(self, integration: Integration) -> Shop:
        match integration.provider:
            case Provider.SHOPIFY:
                return Shopify.of(integration, self._credentials(integration), self._http)
            case Provider.STRIPE:
                return Stripe.of(integration, self._credentials(integration), self._http)
            case Provider.WOOCOMMERCE:
                credentials = self._credentials(integration)
                return WooCommerce.of(integration, credentials, self._way_to(integration))
            case Provider.PRESTASHOP:
                credentials = self._credentials(integration)
                return PrestaShop.of(integration, credentials, self._way_to(integration))
            case Provider.DEMO_SHOP:
                return DemoShop.of(integration, self._credentials(integration), self._http)
            case _:
                raise ActionRefused("the integration is no shop", sent=False)

    def helpdesk(self, integration: Integration) -> Helpdesk:
        match integration.provider:
            case Provider.ZENDESK:
                return Zendesk.of(integration, self._credentials(integration), self._http)
            case Provider.GORGIAS:
                return Gorgias.of(integration, self._credentials(integration), self._http)
            case Provider.INTERCOM:
                return Intercom.of(integration, self._credentials(integration), self._http)
            case Provider.FRESHDESK:
                return Freshdesk.of(integration, self._credentials(integration), self._http)
            case _:
                raise ActionRefused("the integration is no helpdesk", sent=False)

    def poller(self, integration: Integration) -> Polls:
        credentials = self._credentials(integration)
        match integration.provider:
            case Provider.SHOPIFY:
                return ShopifyChanges(Shopify.of(integration, credentials, self._http))
            case Provider.WOOCOMMERCE:
                way = self._way_to(integration)
                return WooCommerceChanges(WooCommerce.of(integration, credentials, way))
            case Provider.PRESTASHOP:
                way = self._way_to(integration)
                return PrestaShopChanges(PrestaShop.of(integration, credentials, way))
            case Provider.STRIPE:
                stripe = Stripe.of(integration, credentials, self._http)
                return StripeAccess(stripe, integration.settings.get("account", ""))
            case Provider.ZENDESK:
                return ZendeskChanges(account_of(integration, credentials, self._http))
            case _:
                raise ActionRefused("the integration is not polled", sent=False)

    def articles(self, integration: Integration) -> ArticleSource:
        match integration.provider:
            case Provider.ZENDESK:
                credentials = self._credentials(integration)
                return ZendeskArticles(account_of(integration, credentials, self._http))
            case Provider.INTERCOM:
                credentials = self._credentials(integration)
                return IntercomArticles(intercom.account_of(integration, credentials, self._http))
            case Provider.FRESHDESK:
                credentials = self._credentials(integration)
                account = freshdesk.account_of(integration, credentials, self._http)
                return FreshdeskArticles(account, integration.settings["domain"])
            case _:
                raise ActionRefused("the integration has no articles", sent=False)

    def notices(self, integration: Integration) -> NoticeBoard:
        if integration.provider is not Provider.SLACK:
            raise ActionRefused("the integration takes no notices", sent=False)
        return Slack.of(integration, self._credentials(integration), self._http)

    def _way_to(self, integration: Integration) -> httpx.AsyncClient:
        """Return the HTTP client for a host chosen by the merchant. This is the guarded client, or
        the regular client for a `base_url` on localhost if that is allowed."""
        if BASE_URL in integration.settings:
            return self._http
        return self._guarded.http_for(integration.client_id or integration.id)

    @cached_property
    def _guarded(self) -> GuardedHosts:
        return GuardedHosts(user_agent=self._http.headers["user-agent"])

    def _credentials(self, integration: Integration) -> Mapping[str, str]:
        """Return the integration's credentials after checking that the integration is usable.
        Raises ActionRefused, NotAuthorized."""
        if integration.only_listens:
            raise ActionRefused("the connection only listens", sent=False)
        credentials = self._unseal(integration)
        _check_usable(integration, credentials)
        self._check_place(integration)
        return credentials

    def _check_place(self, integration: Integration) -> None:
        base_url = integration.settings.get(BASE_URL)
        here = base_url is not None or PROVIDERS[integration.provider].on_this_machine
        if here and not self._allow_loopback:
            raise ActionRefused("integrations on this machine are not allowed", sent=False)
        if base_url is not None and urlsplit(base_url).hostname not in _LOOPBACK:
            raise ActionRefused("base_url is not on this machine", sent=False)

    def _unseal(self, integration: Integration) -> Mapping[str, str]:
        try:
            return _STRINGS.validate_json(self._sealer.unseal(integration.sealed))
        except ValidationError:
            failure = (
                # The new error is not chained, because its cause quotes the credentials.
                "no JSON object of strings"
            )
        except ValueError:
            failure = "sealed with another key, or damaged"
        raise NotAuthorized(f"the credentials cannot be read: {failure}", sent=False)


def _check_usable(integration: Integration, credentials: Mapping[str, str]) -> None:
    """Raise ActionRefused for unusable settings, or NotAuthorized for unusable credentials."""
    try:
        check_settings(integration.provider, integration.settings)
    except InvalidInput as error:
        raise ActionRefused(str(error), sent=False) from None
    if PROVIDERS[integration.provider].credentials and not credentials:
        raise NotAuthorized("no credentials", sent=False)
    try:
        check_credentials(integration.provider, credentials)
    except InvalidInput as error:
        raise NotAuthorized(str(error), sent=False) from None
