"""Ports for inbound webhooks. A platform verifies, identifies and interprets one provider's
webhooks in pure functions (`domain/inbound/platforms/`)."""

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
    """The facts about an endpoint's integration that are needed to interpret a webhook.

    - `mapping`: a JMESPath expression for each event field, for the generic form only.
    - `received_at`: the arrival, used if the webhook states no time.
    - `is_signed`: the request was verified with a secret on arrival.
    - `vouches`: the endpoint was, and still is, trusted to vouch for customers' addresses.
    - `was_trusted`: the secret was trusted on arrival. The installation's own secrets are always
      trusted.
    """

    integration_id: str
    settings: Mapping[str, str] = field(default_factory=lambda: NO_SETTINGS)
    mapping: Mapping[str, str] = field(default_factory=lambda: NO_SETTINGS)
    received_at: datetime | None = None
    is_signed: bool = False
    vouches: bool = False
    was_trusted: bool = False


class Platform(Protocol):
    """The rules that verify, identify and interpret the webhooks of one provider."""

    provider: Provider
    topics: Mapping[str, WebhookKind]
    """The kind of webhook for each of the provider's topics. Webhooks of all other topics are
    ignored."""
    max_body: int
    """Maximum size of a body in bytes: 1 MiB for JSON, 25 MiB for mail."""
    refusal_status: int
    """The HTTP status that makes this provider stop retrying a rejected request."""
    needs_secret: bool
    """True if the provider issues the secret, which is then required for creating an endpoint. If
    False, the service generates the secret, unless the provider uses none (`signs`)."""
    signs: bool
    """True if requests contain a signature or another credential in addition to the secret token in
    the URL."""
    is_limited: bool
    """True if the endpoint's rate limit applies to this provider. The limit never applies to shops
    and payment providers."""
    author_proof: AuthorProof
    """The means by which this provider's webhooks can prove the address of a ticket's author. All
    other data about the author is a claim."""

    def is_ping(self, request: InboundRequest) -> bool:
        """Return True if the request is the provider's unsigned test of a new URL. The response to
        such a request has status 200, and the request has no effect."""

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        """Verify that one of the secrets signed the request recently. Raises InboundRefused.

        `secrets` are the valid ones, newest first, compared in constant time.
        """

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of a verified delivery. Raises WebhookUnreadable."""

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        """Return the meaning of a verified request with a relevant topic. Raises
        WebhookUnreadable."""


class WebhookStarter(Protocol):
    """A starter of the workflows that process stored webhooks."""

    async def process_webhook(self, webhook: "ProcessWebhookInput", *, wake: bool = False) -> bool:
        """Start a webhook's workflow. Return False if it is already running.

        If `wake` is true, a waiting workflow retries now. Raises EngineUnavailable; the periodic
        sweep then starts the workflow later.
        """


class ErasureStarter(Protocol):
    """A starter of the customer erasures that a platform has requested."""

    async def start_erasure(self, erase: "EraseInput") -> None:
        """Start the erasure, unless it is already running. Raises EngineUnavailable."""
