"""The known order: all that webhooks and polls have told of one order."""

from dataclasses import dataclass

from domain.integrations.order import Order
from domain.integrations.provider import Provider


@dataclass(frozen=True, slots=True)
class FoundOrder:
    """`order`: as an answer may speak of it; nothing of it may be given back or changed, for
    nobody has asked the shop."""

    integration_id: str
    provider: Provider
    order: Order
