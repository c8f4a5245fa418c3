"""The endpoint: the address that a platform sends an integration's webhooks to, and its secret."""

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
"""How long the token and the secret before a rotation are good."""

SECRET_HEADER: Final = "X-Inbound-Secret"  # noqa: S105 - its name
"""The header in which platforms that sign nothing send the secret."""

SECRETS_OF_OURS: Final = frozenset(
    {
        Provider.WOOCOMMERCE,
        Provider.PRESTASHOP,
        Provider.GENERIC,
        Provider.GORGIAS,
        Provider.FRESHDESK,
    }
)
"""Platforms that sign with, or send, whatever secret they are given: one is made here. The others
give out their own."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class OpenEndpoint:
    """An endpoint as a request finds it. The secrets come sealed. `sealed_previous_secret`: the one
    before the last rotation, while it is good. `is_live`: else its connection has ended lately, and
    it takes duties alone."""

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
        """Those that are good now, the newest first. Raises ValueError for one that was sealed
        with another key, or is another endpoint's."""
        return tuple(
            unseal_endpoint_secret(sealer, self.tenant, self.integration_id, one)
            for one in (self.sealed_secret, self.sealed_previous_secret)
            if one is not None
        )


@dataclass(frozen=True, slots=True)
class AccountOwner:
    """Whose webhook it is. `is_live`: else the connection has ended lately, and takes duties
    alone."""

    tenant: TenantId
    integration_id: str
    is_live: bool

    def takes(self, kind: WebhookKind) -> bool:
        return self.is_live or kind is WebhookKind.DUTY


class EndpointEntry(BaseModel):
    """One as people are shown it: neither its token nor its secret is.

    `previous_until`: until then the address and the secret before the last rotation are good too.
    `mapping`: of the generic form only. `vouches`: false while what the endpoint says of a
    customer's address waits for a second manager.
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
    """`random_bytes`: TOKEN_BYTES of them."""
    return base64.urlsafe_b64encode(random_bytes).rstrip(b"=").decode()


def token_digest(token: str) -> bytes | None:
    """What is kept of a token: its SHA-256. None for what can be no token."""
    if not _TOKEN.fullmatch(token):
        return None
    return hashlib.sha256(token.encode()).digest()


def made_secret(random_bytes: bytes) -> str:
    """A secret of ours. Its 48 hexadecimal digits are base64 too, so that libraries of Standard
    Webhooks take it as it is. `random_bytes`: SECRET_BYTES of them."""
    return "whsec_" + random_bytes.hex()


def seal_endpoint_secret(sealer: Sealer, client_id: str, integration_id: str, secret: str) -> str:
    """Sealed together with its client and integration, so that it cannot be moved to another."""
    return sealer.seal(f"{client_id}/{integration_id}/{secret}")


def unseal_endpoint_secret(sealer: Sealer, client_id: str, integration_id: str, sealed: str) -> str:
    """Raises ValueError if it was sealed with another key, or is another endpoint's."""
    opened, owner = sealer.unseal(sealed), f"{client_id}/{integration_id}/"
    if not opened.startswith(owner):
        raise ValueError("another endpoint's secret")
    return opened.removeprefix(owner)


def endpoint_url(origin: str, provider: Provider, token: str) -> str:
    return f"{origin}/api/webhooks/{provider}/{token}"


@dataclass(frozen=True, slots=True)
class WantedEndpoint:
    """What an endpoint is opened with. `secret`: the platform's, where it gives one out."""

    secret: str | None = field(default=None, repr=False)
    mapping: Mapping[str, str] | None = None
