"""WooCommerce's webhooks of orders."""

from collections.abc import Mapping
from datetime import datetime

from domain.inbound.body import MAX_JSON
from domain.inbound.meaning import Meaning
from domain.inbound.ports import EndpointFacts
from domain.inbound.request import InboundRequest
from domain.inbound.webhook import Identity, WebhookKind
from domain.integrations.provider import Provider


class WooCommerceWebhooks:
    provider = Provider.WOOCOMMERCE
    topics: Mapping[str, WebhookKind] = {}
    max_body = MAX_JSON
    refusal_status = 401
    needs_secret = False
    signs = True
    is_limited = False

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol's
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        raise NotImplementedError

    def identify(self, request: InboundRequest) -> Identity:
        raise NotImplementedError

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        raise NotImplementedError
