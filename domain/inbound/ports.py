"""The platform: verifies, identifies and interprets one provider's webhooks, in pure functions.

`domain/inbound/platforms/` has one module for each provider.
"""

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
    """Facts about the integration that are needed to interpret a webhook. `settings`: the
    integration's. `mapping`: for the generic form, a JMESPath expression for each field of the
    event. `received_at`: arrival time, for webhooks without a time of their own. `is_signed`: the
    integration has a secret, and the request was verified with it. `vouches`: whether the secret
    holder's statements about a customer's address count."""

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
    """Maximum size of a body in bytes: 1 MiB for JSON, 25 MiB for mail."""
    refusal_status: int
    """The HTTP status that makes this provider stop retrying the request."""
    needs_secret: bool
    """True if the provider issues the secret, so that it is required to open an endpoint. Otherwise
    the service generates one, or none is used (`signs`)."""
    signs: bool
    """True if requests carry a proof besides the secret address."""
    is_limited: bool
    """True if the endpoint's rate limit applies, which it never does for shops and payments."""
    author_proof: AuthorProof
    """The proof of a ticket author's address. Everything else about the author is a claim."""

    def is_ping(self, request: InboundRequest) -> bool:
        """Return whether the request is the provider's unsigned test of a new address, which has no
        effect and is answered with 200."""

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        """Verify that one of the secrets signed the request recently. Raises InboundRefused.

        `secrets`: the valid secrets, newest first; all are compared, in constant time.
        """

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of a verified request. Raises WebhookUnreadable."""

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        """Interpret the request. Never called for an ignored topic. Raises WebhookUnreadable."""


class WebhookStarter(Protocol):
    """Starts the processing of stored webhooks."""

    async def process_webhook(self, webhook: "ProcessWebhookInput", *, wake: bool = False) -> bool:
        """Start a webhook's workflow; return False if it is running already.

        `wake`: make a waiting workflow retry now. Raises EngineUnavailable; the sweep then starts
        the workflow.
        """


class ErasureStarter(Protocol):
    """Starts the erasure of a customer that a platform has requested."""

    async def start_erasure(self, erase: "EraseInput") -> None:
        """Start the erasure, unless it is running already. Raises EngineUnavailable."""
