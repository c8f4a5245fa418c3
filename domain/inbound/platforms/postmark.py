"""Postmark's inbound mails: JSON, which only the address proves."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from domain.inbound.meaning import Meaning
from domain.inbound.ports import EndpointFacts
from domain.inbound.request import InboundRequest
from domain.inbound.webhook import Identity, WebhookKind
from domain.integrations.provider import Provider

TOPIC: Final = "inbound"
_MAX_BODY: Final = 25 * 1024 * 1024


class PostmarkInbound:
    provider = Provider.POSTMARK
    topics: Mapping[str, WebhookKind] = {TOPIC: WebhookKind.TICKET}
    max_body = _MAX_BODY
    refusal_status = 403
    needs_secret = False
    signs = False
    is_limited = True

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol's
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        raise NotImplementedError

    def identify(self, request: InboundRequest) -> Identity:
        raise NotImplementedError

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        raise NotImplementedError
