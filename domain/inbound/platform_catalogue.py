"""The catalogue of webhook platforms, by provider."""

from collections.abc import Mapping
from typing import Final

from domain.inbound.errors import InboundAddressUnknown
from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.platforms.freshdesk import FreshdeskWebhooks
from domain.inbound.platforms.generic import GenericWebhooks
from domain.inbound.platforms.gorgias import GorgiasWebhooks
from domain.inbound.platforms.intercom import IntercomWebhooks
from domain.inbound.platforms.mailgun import MailgunRoutes
from domain.inbound.platforms.postmark import PostmarkInbound
from domain.inbound.platforms.prestashop import PrestaShopWebhooks
from domain.inbound.platforms.sendgrid import SendgridParse
from domain.inbound.platforms.shopify import ShopifyWebhooks
from domain.inbound.platforms.stripe import StripeWebhooks
from domain.inbound.platforms.woocommerce import WooCommerceWebhooks
from domain.inbound.platforms.zendesk import ZendeskWebhooks
from domain.inbound.ports import Platform
from domain.integrations.providers import Provider

_ALL: Final[tuple[Platform, ...]] = (
    ShopifyWebhooks(),
    StripeWebhooks(),
    WooCommerceWebhooks(),
    PrestaShopWebhooks(),
    ZendeskWebhooks(),
    GorgiasWebhooks(),
    IntercomWebhooks(),
    FreshdeskWebhooks(),
    MailgunRoutes(),
    PostmarkInbound(),
    SendgridParse(),
    GenericWebhooks(),
)
PLATFORMS: Final[Mapping[Provider, Platform]] = {one.provider: one for one in _ALL}
DUTIFUL: Final = frozenset(
    provider for provider, one in PLATFORMS.items() if WebhookKind.DUTY in one.topics.values()
)
"""Providers that send compliance requests. The requests continue for some time after a connection
has ended."""

_BY_NAME: Final = {provider.value: platform for provider, platform in PLATFORMS.items()}


def platform_of(provider: str) -> Platform:
    """Return the platform for the provider in a webhook URL. Raises InboundAddressUnknown."""
    platform = _BY_NAME.get(provider)
    if platform is None:
        raise InboundAddressUnknown(provider)
    return platform
