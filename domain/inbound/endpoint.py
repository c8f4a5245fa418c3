"""The endpoint: the URL at which an integration receives webhooks, with the secret that verifies
the webhooks."""

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
"""The period for which the previous token and secret remain valid after a rotation."""

SECRET_HEADER: Final = "X-Inbound-Secret"  # noqa: S105 - a header name
"""The request header that contains the secret, for platforms that do not sign their webhooks."""

SECRETS_OF_OURS: Final = frozenset(
    {
        Provider.WOOCOMMERCE,
        Provider.PRESTASHOP,
        Provider.GENERIC,
        Provider.GORGIAS,
        Provider.FRESHDESK,
    }
)
"""Platforms on which the merchant can enter any secret, so that the service generates it. All other
platforms issue their own secrets."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class OpenEndpoint:
    """The endpoint that a request resolves to, with encrypted secrets.

    - `sealed_previous_secret`: the secret before the last rotation, while it is still valid.
    - `is_live`: False after the connection ended. Only compliance requests are then accepted.
    - `vouches`: the endpoint is trusted to vouch for customers' addresses.
    """

    tenant: TenantId
    integration_id: str
    provider: Provider
    sealed_secret: str | None = field(repr=False)
    sealed_previous_secret: str | None = field(repr=False)
    is_live: bool = True
    vouches: bool = False

    @property
    def owner(self) -> "AccountOwner":
        return AccountOwner(self.tenant, self.integration_id, self.is_live)

    def secrets(self, sealer: Sealer) -> tuple[str, ...]:
        """Return the decrypted secrets that are currently valid, newest first.

        Raises ValueError if a secret was encrypted with another key or for another endpoint.
        """
        return tuple(
            unseal_endpoint_secret(sealer, self.tenant, self.integration_id, one)
            for one in (self.sealed_secret, self.sealed_previous_secret)
            if one is not None
        )


@dataclass(frozen=True, slots=True)
class AccountOwner:
    """The client and integration to which a webhook belongs. If the connection has ended or its
    credentials were rejected, `is_live` is False and only compliance requests are accepted."""

    tenant: TenantId
    integration_id: str
    is_live: bool

    def takes(self, kind: WebhookKind) -> bool:
        return self.is_live or kind is WebhookKind.DUTY


class EndpointEntry(BaseModel):
    """An endpoint as displayed, without its token and secret.

    `previous_until` is the expiry of the previous URL and secret. `mapping` exists only for the
    generic form. `vouches` is False until a second manager approves.
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
    """Return an endpoint token generated from TOKEN_BYTES random bytes, as URL-safe base64."""
    return base64.urlsafe_b64encode(random_bytes).rstrip(b"=").decode()


def token_digest(token: str) -> bytes | None:
    """Return the SHA-256 of a token, which is stored instead of the token. Return None if the token
    is malformed."""
    if not _TOKEN.fullmatch(token):
        return None
    return hashlib.sha256(token.encode()).digest()


def made_secret(random_bytes: bytes) -> str:
    """Return an endpoint secret generated from SECRET_BYTES random bytes: `whsec_` and 48
    hexadecimal digits.

    The digits are also valid base64, so Standard Webhooks libraries accept the secret unchanged.
    """
    return "whsec_" + random_bytes.hex()


def seal_endpoint_secret(sealer: Sealer, client_id: str, integration_id: str, secret: str) -> str:
    """Encrypt a secret together with the ids of its client and integration, so that it can be
    decrypted only for this endpoint."""
    return sealer.seal(f"{client_id}/{integration_id}/{secret}")


def unseal_endpoint_secret(sealer: Sealer, client_id: str, integration_id: str, sealed: str) -> str:
    """Return the decrypted secret. Raises ValueError if the secret was encrypted with another key
    or for another endpoint."""
    opened, owner = sealer.unseal(sealed), f"{client_id}/{integration_id}/"
    if not opened.startswith(owner):
        raise ValueError("another endpoint's secret")
    return opened.removeprefix(owner)


def endpoint_url(origin: str, provider: Provider, token: str) -> str:
    """Return the URL to which the provider sends its webhooks. `token` is the secret part of the
    URL."""
    return f"{origin}/api/webhooks/{provider}/{token}"


@dataclass(frozen=True, slots=True)
class WantedEndpoint:
    """The parameters for creating an endpoint. Without a `secret` from the platform, the service
    generates one. `mapping` is for the generic form only."""

    secret: str | None = field(default=None, repr=False)
    mapping: Mapping[str, str] | None = None
