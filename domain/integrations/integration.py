"""The integration: a merchant's system that the agent may look things up in and act on."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.integrations.errors import InvalidIntegration, UnknownProvider
from domain.integrations.providers import ANSWER_AS, OF_MERCHANTS, PROVIDERS, Provider, Shape


def provider_of(integration_id: str, stored: str) -> Provider:
    """The provider of a stored connection. Raises UnknownProvider: another version may have
    stored one that this version does not know."""
    try:
        return Provider(stored)
    except ValueError:
        raise UnknownProvider(integration_id, stored) from None


DUTIES_LAST: Final = timedelta(days=100)
"""How long after its end a connection takes its platform's duties. Shopify sends `shop/redact` two
days after the app was removed, and customers' redactions later still."""


class IntegrationStatus(StrEnum):
    """`error`: the other side no longer takes our credentials; nothing is tried until somebody
    connects it anew."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    ERROR = "error"


class Integration(BaseModel):
    """One connection of a client.

    `settings` are public facts (a shop's domain, an agent's address); `sealed` holds the
    credentials, encrypted (`domain.core.ports.Sealer`): a JSON object of strings. It is empty for
    a connection that only listens: the platform's webhooks come here, and nothing is asked there.
    `error_code`: why the other side refused the last call, although the connection is kept.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    provider: Provider
    settings: dict[str, str] = {}
    sealed: str = Field(repr=False)
    error_code: str | None = None

    @property
    def only_listens(self) -> bool:
        """Whether there are no credentials to ask or act with."""
        return not self.sealed

    @property
    def answers_by_note(self) -> bool:
        """Whether the agent's answers are left as internal notes there."""
        return self.settings.get(ANSWER_AS) == "note"

    def base_url(self, usual: str) -> str:
        """Where its API is: `usual`, unless a loopback address was set in its place."""
        return self.settings.get(BASE_URL, usual)


class IntegrationEntry(BaseModel):
    """A connection as people are shown it: without its credentials.

    `error_code`: why the other side was given up, where the status is `error`; where it is
    `connected`, why the last call was refused.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    provider: Provider
    status: IntegrationStatus
    settings: dict[str, str]
    error_code: str | None
    connected_at: datetime
    disconnected_at: datetime | None


# Where the other side is, in place of the address that its name gives: tests and trials only. What
# may be called at all is decided where the call is made.
BASE_URL: Final = "base_url"
_LOOPBACK: Final = Shape(
    re.compile(r"http://(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}"), "http://127.0.0.1:port"
)

_MAX_CREDENTIAL_CHARS: Final = 1_000
_VISIBLE: Final = re.compile(r"[!-~]+")


def check_settings(
    provider: Provider, settings: Mapping[str, str], *, by_operator: bool = True
) -> None:
    """Raises InvalidIntegration, which names the setting and never a value, unless they are
    complete. `by_operator`: whoever works on this machine may name what lies on it too."""
    if not by_operator and provider not in OF_MERCHANTS:
        raise InvalidIntegration(f"{provider}: only for operators", "provider")
    needs = PROVIDERS[provider]
    secret = next((name for name in needs.credentials if name in settings), None)
    if secret is not None and secret not in needs.settings:
        raise InvalidIntegration(
            f"{provider}: {secret} is a secret and no setting", f"settings.{secret}"
        )
    known = {**needs.settings, **needs.optional}
    shapes = {**known, **({BASE_URL: _LOOPBACK} if by_operator else {})}
    if not settings.keys() <= shapes.keys():
        raise InvalidIntegration(f"{provider}: settings are {_listed(known)}", "settings")
    for name in needs.settings:
        if name not in settings:
            raise InvalidIntegration(
                f"{provider}: the setting {name} is missing", f"settings.{name}"
            )
    for name, value in settings.items():
        if not shapes[name].pattern.fullmatch(value):
            raise InvalidIntegration(
                f"{provider}: {name}: {shapes[name].expected} expected", f"settings.{name}"
            )


def check_credential_names(provider: Provider, names: frozenset[str]) -> None:
    """Raises InvalidIntegration unless these are the provider's secrets, all of them, or none of a
    provider that the service may only listen to.

    It names only those that the provider has: a name may be a secret in the wrong place.
    """
    needed = PROVIDERS[provider].credentials
    if not names and PROVIDERS[provider].may_listen:
        return
    if names != frozenset(needed):
        raise InvalidIntegration(f"{provider}: secrets are {_listed(needed)}", "credentials")


def check_credentials(provider: Provider, credentials: Mapping[str, str]) -> None:
    """Raises InvalidIntegration, which never holds a value, unless they can be sent as they are."""
    check_credential_names(provider, frozenset(credentials))
    for name, value in credentials.items():
        # They become headers: a space or a line break in one is a slip of the hand at best.
        if len(value) > _MAX_CREDENTIAL_CHARS or not _VISIBLE.fullmatch(value):
            raise InvalidIntegration(
                f"{provider}: {name}: 1 to {_MAX_CREDENTIAL_CHARS} visible characters expected",
                f"credentials.{name}",
            )
        shape = PROVIDERS[provider].secret_shapes.get(name)
        if shape is not None and not shape.pattern.fullmatch(value):
            raise InvalidIntegration(
                f"{provider}: {name}: {shape.expected} expected", f"credentials.{name}"
            )


def _listed(names: Mapping[str, Shape] | tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
