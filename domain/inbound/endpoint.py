"""The endpoint: the URL that receives an integration's webhooks, and its secret."""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.inbound.inbound_webhook import WebhookKind
from domain.integrations.providers import Provider

TOKEN_BYTES: Final = 32
SECRET_BYTES: Final = 24
OVERLAP: Final = timedelta(hours=24)
"""How long the previous token and secret remain valid after a rotation."""

SECRET_HEADER: Final = "X-Inbound-Secret"  # noqa: S105 - its name
"""The header that carries the secret of platforms that do not sign."""

SECRETS_OF_OURS: Final = frozenset(
    {
        Provider.WOOCOMMERCE,
        Provider.PRESTASHOP,
        Provider.GENERIC,
        Provider.GORGIAS,
        Provider.FRESHDESK,
    }
)
"""Platforms that sign with, or send, any secret they are given, so that this service generates it.
All other platforms issue their own secret."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class OpenEndpoint:
    """An endpoint as looked up for a request.

    The secrets are sealed. `sealed_previous_secret`: the secret before the last rotation, while it
    is valid. `is_live`: False if the connection has ended recently; the endpoint then accepts only
    compliance requests.
    """

    tenant: TenantId
    integration_id: str
    provider: Provider
    sealed_secret: str | None = field(repr=False)
    sealed_previous_secret: str | None = field(repr=False)
    is_live: bool = True

    @property
    def owner(self) -> "AccountOwner":
        return AccountOwner(self.tenant, self.integration_id, self.is_live)

    def secrets(self, sealer: Sealer) -> tuple[str, ...]:
        """Return the currently valid secrets, newest first.

        Raises ValueError for a secret that was sealed with another key or belongs to another
        endpoint.
        """
        return tuple(
            unseal_endpoint_secret(sealer, self.tenant, self.integration_id, one)
            for one in (self.sealed_secret, self.sealed_previous_secret)
            if one is not None
        )


@dataclass(frozen=True, slots=True)
class AccountOwner:
    """The client and integration that a webhook belongs to. `is_live`: False if the connection has
    ended recently; the integration then accepts only compliance requests."""

    tenant: TenantId
    integration_id: str
    is_live: bool

    def takes(self, kind: WebhookKind) -> bool:
        return self.is_live or kind is WebhookKind.DUTY


class EndpointEntry(BaseModel):
    """An endpoint as shown to people, without its token and secret.

    `previous_until`: the time at which the previous address and secret expire. `mapping`: for the
    generic form only. `vouches`: false while the endpoint's statements about customers' addresses
    await approval by a second manager.
    """

    model_config = ConfigDict(frozen=True)

    integration_id: str
    provider: Provider
    has_secret: bool
    mapping: dict[str, str] | None
    vouches: bool
    opened_at: datetime
    rotated_at: datetime | None
    previous_until: datetime | None


def token_of(random_bytes: bytes) -> str:
    """Encode TOKEN_BYTES random bytes as a token."""
    return base64.urlsafe_b64encode(random_bytes).rstrip(b"=").decode()


def token_digest(token: str) -> bytes | None:
    """Return the SHA-256 of a token, which is stored instead of the token. None if the token is
    malformed."""
    if not _TOKEN.fullmatch(token):
        return None
    return hashlib.sha256(token.encode()).digest()


def made_secret(random_bytes: bytes) -> str:
    """Return a secret generated from SECRET_BYTES random bytes.

    The secret's 48 hexadecimal digits are valid base64 too, so Standard Webhooks libraries accept
    it unchanged.
    """
    return "whsec_" + random_bytes.hex()


def seal_endpoint_secret(sealer: Sealer, client_id: str, integration_id: str, secret: str) -> str:
    """Seal a secret together with its client and integration, so that it is valid only for this
    endpoint."""
    return sealer.seal(f"{client_id}/{integration_id}/{secret}")


def unseal_endpoint_secret(sealer: Sealer, client_id: str, integration_id: str, sealed: str) -> str:
    """Unseal a secret. Raises ValueError if it was sealed with another key or for another
    endpoint."""
    opened, owner = sealer.unseal(sealed), f"{client_id}/{integration_id}/"
    if not opened.startswith(owner):
        raise ValueError("another endpoint's secret")
    return opened.removeprefix(owner)


def endpoint_url(origin: str, provider: Provider, token: str) -> str:
    return f"{origin}/api/webhooks/{provider}/{token}"


@dataclass(frozen=True, slots=True)
class WantedEndpoint:
    """The parameters for creating an endpoint. `secret`: the platform's, if the platform issues
    one."""

    secret: str | None = field(default=None, repr=False)
    mapping: Mapping[str, str] | None = None
