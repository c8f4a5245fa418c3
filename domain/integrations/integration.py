"""The integration: a client's connection to an external system, which the agent uses for lookups
and actions."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.integrations.errors import InvalidIntegration, UnknownProvider
from domain.integrations.providers import ANSWER_AS, OF_MERCHANTS, PROVIDERS, Provider, Shape


def provider_of(integration_id: str, stored: str) -> Provider:
    """Return the provider of a stored connection. Raises UnknownProvider if this version does not
    support it."""
    try:
        return Provider(stored)
    except ValueError:
        raise UnknownProvider(integration_id, stored) from None


COMPLIANCE_REQUESTS_LAST: Final = timedelta(days=100)
"""The period for which an ended connection still accepts the platform's compliance requests.
Shopify sends `shop/redact` two days after the app's removal, and customer redactions even later."""


class IntegrationStatus(StrEnum):
    """The state of a connection. `error`: the external system rejects the credentials, and no calls
    are made until the client reconnects."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    ERROR = "error"


class Integration(BaseModel):
    """A client's connection to an external system.

    - `settings`: public values, such as a shop's domain or an agent's address.
    - `sealed`: the encrypted credentials, a JSON object of strings. Empty for a connection that
      only receives webhooks.
    - `error_code`: the reason why the last call was rejected, although the connection works.
    - `client_id`: the owner, or empty before the connection is stored.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    client_id: str = ""
    provider: Provider
    settings: dict[str, str] = {}
    sealed: str = Field(repr=False)
    error_code: str | None = None

    @property
    def only_listens(self) -> bool:
        """True if the connection has no credentials and therefore only receives webhooks."""
        return not self.sealed

    @property
    def answers_by_note(self) -> bool:
        """True if the agent posts its answers in a ticket as internal notes."""
        return self.settings.get(ANSWER_AS) == "note"

    def base_url(self, usual: str) -> str:
        """Return the base URL of the provider's API: the configured loopback address, or `usual` if
        none is configured."""
        return self.settings.get(BASE_URL, usual)


class IntegrationEntry(BaseModel):
    """A client's connection as displayed, without its credentials.

    `error_code` is the reason why the connection stopped or, if it is `connected`, why the last
    call was rejected, or None.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    provider: Provider
    status: IntegrationStatus
    settings: dict[str, str]
    error_code: str | None
    connected_at: datetime
    disconnected_at: datetime | None


# Setting that replaces the provider's API address, for tests and trials only. The HTTP client
# decides which addresses it may call.
BASE_URL: Final = "base_url"
_LOOPBACK: Final = Shape(
    re.compile(r"http://(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}"), "http://127.0.0.1:port"
)

_MAX_CREDENTIAL_CHARS: Final = 1_000
_VISIBLE: Final = re.compile(r"[!-~]+")


def check_settings(
    provider: Provider, settings: Mapping[str, str], *, by_operator: bool = True
) -> None:
    """Raise InvalidIntegration unless the settings for the provider are complete and valid.

    The error never contains a value. Only operators may use local files and loopback addresses.
    """
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
    """Raise InvalidIntegration unless all of the provider's credentials are named, or none if it
    may be connected for webhooks only.

    The error lists only the provider's names because a given name may be a misplaced secret.
    """
    needed = PROVIDERS[provider].credentials
    if not names and PROVIDERS[provider].may_listen:
        return
    if names != frozenset(needed):
        raise InvalidIntegration(f"{provider}: secrets are {_listed(needed)}", "credentials")


def check_credentials(provider: Provider, credentials: Mapping[str, str]) -> None:
    """Raise InvalidIntegration unless all of the provider's credentials are given and can be sent
    unchanged. The error never contains a value."""
    check_credential_names(provider, frozenset(credentials))
    for name, value in credentials.items():
        # Credentials are sent in headers, so only visible characters are accepted. A space or a
        # line break in a credential is usually a typing error.
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
