"""What a key may do. A key without scopes of its own may do all of it, as `ak_` keys do."""

from collections.abc import Iterable, Set
from enum import StrEnum
from typing import Final

from domain.tenants.errors import InsufficientScope


class Scope(StrEnum):
    """One thing that a key may do, as OAuth clients ask for it. The names are part of the API."""

    CONVERSATIONS_READ = "conversations:read"
    REVIEWS_READ = "reviews:read"
    CONTENT_READ = "content:read"
    CONTENT_SUGGEST = "content:suggest"
    PLAYBOOKS_READ = "playbooks:read"
    USAGE_READ = "usage:read"
    WEBHOOKS_READ = "webhooks:read"
    DRAFTS_WRITE = "drafts:write"
    """Drafts and simulations, which are never sent."""
    EVENTS_WRITE = "events:write"
    """The gateway, and events pushed over MCP."""
    EXPORT_READ = "export:read"


EVERY_SCOPE: Final = tuple(Scope)


def scopes_of(names: Iterable[str]) -> frozenset[Scope]:
    """The scopes of these names; names that we do not know are left out."""
    known = set(EVERY_SCOPE)
    return frozenset(Scope(name) for name in names if name in known)


def require_scope(held: Set[str] | None, needed: Scope) -> None:
    """`held`: the scopes of a key, None for all. Raises InsufficientScope."""
    if held is not None and needed not in held:
        raise InsufficientScope(needed)
