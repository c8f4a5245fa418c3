"""The catalogue: the platform of each provider whose webhooks are taken."""

from collections.abc import Mapping
from typing import Final

from domain.inbound.errors import InboundAddressUnknown
from domain.inbound.ports import Platform
from domain.integrations.provider import Provider

PLATFORMS: Final[Mapping[Provider, Platform]] = {}


def platform_of(provider: str) -> Platform:
    """By the provider's name, as an address has it. Raises InboundAddressUnknown."""
    platform = PLATFORMS.get(Provider(provider)) if provider in Provider else None
    if platform is None:
        raise InboundAddressUnknown(provider)
    return platform
