"""Detect changes to a connection's settings that expand the agent's permissions or trust."""

from collections.abc import Callable, Mapping
from typing import Final

from domain.integrations.providers import ANSWER_AS, AUTHSERV_ID, Provider
from domain.tenants.loosening import LoosenedRule

_NOTE: Final = "note"

CONNECTION_RULES: Final[Mapping[str, Callable[[str | None, str | None], bool]]] = {
    AUTHSERV_ID: lambda before, after: after is not None and after != before,
    ANSWER_AS: lambda before, after: before == _NOTE and after != _NOTE,
}
"""For each setting, a function of the old and new values that returns True if the change loosens
the setting. None means that the setting has no value."""

_WHICH_SYSTEM: Final = (
    "Which system is called. It acts on its own orders and tickets, and vouches for no customer."
)
_CREDENTIAL: Final = "A credential to call the system with. It vouches for no customer."
HARMLESS_CONNECTION: Final[Mapping[str, str]] = {
    "account": _WHICH_SYSTEM,
    "admin_id": _WHICH_SYSTEM,
    "base_url": "For operators, who are not held.",
    "domain": _WHICH_SYSTEM,
    "email": _WHICH_SYSTEM,
    "path": "For operators, who are not held.",
    "region": _WHICH_SYSTEM,
    "shop": _WHICH_SYSTEM,
    "subdomain": _WHICH_SYSTEM,
    "url": _WHICH_SYSTEM,
    "access_token": _CREDENTIAL,
    "api_key": _CREDENTIAL,
    "api_token": _CREDENTIAL,
    "consumer_key": _CREDENTIAL,
    "consumer_secret": _CREDENTIAL,
    "webservice_key": _CREDENTIAL,
    "language": "The language of notices to the client's own people.",
    "webhook_url": "Where notices to the client's own people go. Reviews wait all the same.",
}
"""For each other setting or credential, the reason why changing it never loosens a rule."""


def loosened_connection(
    provider: Provider, before: Mapping[str, str], after: Mapping[str, str]
) -> tuple[LoosenedRule, ...]:
    """Return the settings that the change from `before` to `after` loosens, with both values, for
    display.

    `before` are the settings of the provider's last connection, even if that connection has ended,
    or empty if there was none.
    """
    return tuple(
        LoosenedRule(
            place=f"{provider}: {name}", before=before.get(name, "none"), after=value or "none"
        )
        for name, value in held_settings(before, after).items()
    )


def held_settings(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """Return the settings that the change from `before` to `after` loosens, each with its new
    value, or None if the setting was removed."""
    return {
        name: after.get(name)
        for name, is_looser in CONNECTION_RULES.items()
        if is_looser(before.get(name), after.get(name))
    }
