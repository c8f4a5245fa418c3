"""The integration: a merchant's system that the agent may look things up in and act on."""

from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict


class Provider(StrEnum):
    """Whose system it is."""

    SHOPIFY = "shopify"
    STRIPE = "stripe"
    DEMO_SHOP = "demo_shop"
    ZENDESK = "zendesk"
    GORGIAS = "gorgias"


SHOPS: Final = frozenset({Provider.SHOPIFY, Provider.STRIPE, Provider.DEMO_SHOP})
"""They know orders and can give money back."""

HELPDESKS: Final = frozenset({Provider.ZENDESK, Provider.GORGIAS})
"""They hold tickets that can be answered, noted and tagged."""


class IntegrationStatus(StrEnum):
    """`error`: the other side no longer takes our credentials; nothing is tried until somebody
    connects it anew."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    ERROR = "error"


class Integration(BaseModel):
    """One connection of a client.

    `settings` are public facts (a shop's domain, an agent's address); `sealed` holds the
    credentials, encrypted (`domain.ports.Sealer`): a JSON object of strings.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    provider: Provider
    settings: dict[str, str] = {}
    sealed: str
