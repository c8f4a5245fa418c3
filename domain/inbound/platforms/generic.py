"""The generic form: webhooks signed as in Standard Webhooks, with a JSON body of any structure."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from domain.inbound.author_proof import AuthorProof
from domain.inbound.body import MAX_JSON, json_object, shaped
from domain.inbound.errors import InvalidEndpoint, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.mail import key_of
from domain.inbound.mapping import mapped_event
from domain.inbound.meaning import InboundTicket, Meaning, Nothing
from domain.inbound.ports import EndpointFacts
from domain.inbound.standard_webhooks import delivery_id, verify_standard
from domain.integrations.providers import Provider


class _Named(BaseModel):
    type: Annotated[str, Field(pattern=r"^[A-Za-z0-9_./:-]{1,200}$")] = "event"


class _AnyTopic(Mapping[str, WebhookKind]):
    """A mapping of every topic to `ticket` because the endpoint's field mapping, not the topic,
    determines how a body is interpreted."""

    def __getitem__(self, topic: str) -> WebhookKind:
        return WebhookKind.TICKET

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class GenericWebhooks:
    provider = Provider.GENERIC
    topics: Mapping[str, WebhookKind] = _AnyTopic()
    max_body = MAX_JSON
    refusal_status = 401
    needs_secret = False
    signs = True
    is_limited = True
    author_proof = AuthorProof.MAPPED

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        verify_standard(request, secrets, now)

    def identify(self, request: InboundRequest) -> Identity:
        return Identity(delivery_id(request), shaped(_Named, request.body).type)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        try:
            event = mapped_event(facts.mapping, json_object(request.body))
        except InvalidEndpoint:
            raise WebhookUnreadable("mapping") from None
        if event is None:
            return Nothing("nothing_mapped")
        message_id, ticket_id = event.payload.get("message_id"), event.payload.get("ticket_id")
        return InboundTicket(
            event,
            message_key=key_of(f"message/{message_id or identity.dedup_key}"),
            ticket_id=ticket_id if isinstance(ticket_id, str) else None,
        )
