"""The platform: verifies, identifies and reads one provider's webhooks, in pure functions of bytes.
`domain/inbound/platforms/` has one module for each provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from domain.inbound.author_proof import AuthorProof
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import Meaning
from domain.integrations.providers import Provider

if TYPE_CHECKING:
    from domain.inbound.contracts import ProcessWebhookInput
    from domain.privacy.contracts import EraseInput

NO_SETTINGS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class EndpointFacts:
    """Facts of the integration that reading a webhook needs. `settings`: the integration's.
    `mapping`: of the generic form, a JMESPath expression by field of the event. `received_at`:
    arrival time, for webhooks without a time of their own. `is_signed`: the integration has a
    secret, so the request was verified by it. `vouches`: the secret holder's statements about a
    customer's address count."""

    integration_id: str
    settings: Mapping[str, str] = field(default_factory=lambda: NO_SETTINGS)
    mapping: Mapping[str, str] = field(default_factory=lambda: NO_SETTINGS)
    received_at: datetime | None = None
    is_signed: bool = False
    vouches: bool = True


class Platform(Protocol):
    """One provider's webhooks."""

    provider: Provider
    topics: Mapping[str, WebhookKind]
    """The kind of each topic. A topic that is not listed is ignored."""
    max_body: int
    """Maximum bytes: 1 MiB for JSON, 25 MiB for mail."""
    refusal_status: int
    """The HTTP status that makes this provider stop retrying the request."""
    needs_secret: bool
    """True if the provider issues the secret, so that opening an endpoint requires one. Otherwise
    the service generates one, or none is used (`signs`)."""
    signs: bool
    """True if requests carry a proof other than the address."""
    is_limited: bool
    """True if the endpoint's rate limit applies: never for shops and payments."""
    author_proof: AuthorProof
    """The proof of a ticket author's address. Everything else about the author is a claim."""

    def is_ping(self, request: InboundRequest) -> bool:
        """Return whether it is the provider's unsigned test of a new address, which has no effect
        and is answered with 200."""

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        """Verify that one of the secrets signed it recently. `secrets`: the valid ones, newest
        first; all are compared, in constant time. Raises InboundRefused."""

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of a verified request. Raises WebhookUnreadable."""

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        """Interpret the request. Never called for an ignored topic. Raises WebhookUnreadable."""


class WebhookStarter(Protocol):
    """Starts the processing of stored webhooks."""

    async def process_webhook(self, webhook: "ProcessWebhookInput", *, wake: bool = False) -> bool:
        """Start its workflow; return False if one is running. `wake`: make a waiting one retry now.
        Raises EngineUnavailable; the sweep then starts it."""


class ErasureStarter(Protocol):
    """Starts the erasure of a customer on a platform's request."""

    async def start_erasure(self, erase: "EraseInput") -> None:
        """Start the erasure; a running one continues undisturbed. Raises EngineUnavailable."""
