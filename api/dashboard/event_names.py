"""The words for event types and their patterns. Members see words such as "Shopify" or "All
channels", and not patterns such as `shopify.*`."""

from collections.abc import Mapping
from typing import Final

PATTERNS: Final = (
    "*",
    "email.*",
    "widget.*",
    "shopify.*",
    "woocommerce.*",
    "prestashop.*",
    "zendesk.*",
    "gorgias.*",
    "intercom.*",
    "freshdesk.*",
    "api_direct",
)
"""The patterns that a playbook's form offers."""

# The messages of a channel. Other event types of the channel, such as `shopify.order.updated`, are
# named in addition.
_MESSAGES: Final = ("*", "inbound", "received", "chat.message", "ticket.created", "ticket_created")


def event_name(words: Mapping[str, Mapping[str, Mapping[str, str]]], event_type: str) -> str:
    """Return the words for an event type or a pattern. `words` are the texts of a language."""
    known = {**words["integrations"]["providers"], **words["terms"]["event_sources"]}
    if event_type == "*":
        return words["terms"]["event_sources"]["all"]
    source, _, kind = event_type.partition(".")
    name = known.get(source) or _spaced(source).capitalize()
    if not kind or kind in _MESSAGES:
        return name
    return f"{name} ({_spaced(kind.removesuffix('.*'))})"


def _spaced(code: str) -> str:
    return code.replace(".", " ").replace("_", " ").strip()
