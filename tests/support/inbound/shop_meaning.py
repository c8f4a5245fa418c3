"""The content of a shop's webhook, for a connection to one shop."""

from typing import Final

from domain.core.money import Money
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.meaning import Meaning, OrderNews
from domain.inbound.ports import EndpointFacts, Platform
from domain.integrations.order_fact import OrderFact
from tests.support.inbound.shop_requests import NOW

FACTS: Final = EndpointFacts("i", {"shop": "acme.myshopify.com"}, received_at=NOW)


def eur(minor: int) -> Money:
    return Money(minor=minor, currency="EUR")


def meaning(platform: Platform, request: InboundRequest, facts: EndpointFacts = FACTS) -> Meaning:
    return platform.read(request, platform.identify(request), facts)


def fact(platform: Platform, request: InboundRequest) -> OrderFact:
    news = meaning(platform, request)
    assert isinstance(news, OrderNews)
    (only,) = news.facts
    return only
