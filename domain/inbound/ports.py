"""The platform: how one provider's webhooks are believed, named and read. Pure functions of bytes:
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
    """What reading needs of the integration that a webhook belongs to. `settings`: the
    integration's. `mapping`: of the generic form, a JMESPath expression by field of the event.
    `received_at`: when the webhook came, for what names no time of its own. `is_signed`: the
    integration has a secret, so that the request was verified by it. `vouches`: the word of the
    secret's holder on a customer's address counts."""

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
    """What each topic is. One that is not named is ignored."""
    max_body: int
    """Bytes: 1 MiB for JSON, 25 MiB for mail."""
    refusal_status: int
    """What makes this provider never send the request again."""
    needs_secret: bool
    """Whether the provider gives out the secret, so that one must be given to open an endpoint.
    Else the service makes one, or none is used (`signs`)."""
    signs: bool
    """Whether requests carry anything beside the address that proves them."""
    is_limited: bool
    """Whether the endpoint's rate limit holds: never for shops and payments."""
    author_proof: AuthorProof
    """What of a ticket proves its author's address; all else that it says of them is a claim."""

    def is_ping(self, request: InboundRequest) -> bool:
        """Whether it is the provider's trial of a new address, which is unsigned, has no effect and
        is answered 200."""

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        """That one of the secrets signed it, lately. `secrets`: those good now, the newest first;
        compared in constant time, all of them. Raises InboundRefused."""

    def identify(self, request: InboundRequest) -> Identity:
        """Its name, of a request that was verified. Raises WebhookUnreadable."""

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        """What it says. Never called for an ignored topic. Raises WebhookUnreadable."""


class WebhookStarter(Protocol):
    """What works on a webhook after it is stored."""

    async def process_webhook(self, webhook: "ProcessWebhookInput", *, wake: bool = False) -> bool:
        """Start its workflow; False if it is under way. `wake`: have one that waits try now. Raises
        EngineUnavailable; then the sweep starts it."""


class ErasureStarter(Protocol):
    """What removes a customer whose erasure a platform has ordered."""

    async def start_erasure(self, erase: "EraseInput") -> None:
        """Start it; one that is under way is left alone. Raises EngineUnavailable."""
