"""The scopes of API keys. A key without scopes, such as an `ak_` key, has all permissions."""

from collections.abc import Iterable, Set
from enum import StrEnum
from typing import Final

from domain.tenants.errors import InsufficientScope


class Scope(StrEnum):
    """A permission of an API key, as requested by OAuth clients. The names are part of the public
    API."""

    CONVERSATIONS_READ = "conversations:read"
    REVIEWS_READ = "reviews:read"
    CONTENT_READ = "content:read"
    CONTENT_SUGGEST = "content:suggest"
    PLAYBOOKS_READ = "playbooks:read"
    USAGE_READ = "usage:read"
    WEBHOOKS_READ = "webhooks:read"
    DRAFTS_WRITE = "drafts:write"
    """Permission to create drafts and simulations, which are never sent."""
    EVENTS_WRITE = "events:write"
    """Permission to send events through the gateway or over MCP."""
    EXPORT_READ = "export:read"


EVERY_SCOPE: Final = tuple(Scope)


def scopes_of(names: Iterable[str]) -> frozenset[Scope]:
    """Return the scopes with these names. Unknown names are omitted."""
    known = set(EVERY_SCOPE)
    return frozenset(Scope(name) for name in names if name in known)


def require_scope(held: Set[str] | None, needed: Scope) -> None:
    """Raise InsufficientScope unless `held` contains the required scope. `held` are the scopes of a
    key, or None for all scopes."""
    if held is not None and needed not in held:
        raise InsufficientScope(needed)
