"""Intercom's notifications about conversations.

Source: developers.intercom.com, "Webhooks" and "The conversation model".
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from domain.inbound.author_proof import AuthorProof
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.helpdesk_news import (
    MAX_BODY,
    Author,
    HelpdeskMessage,
    HelpdeskShape,
    Id,
    MaybeId,
    MaybeText,
    meaning_of,
    parsed,
)
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import Meaning, Nothing, TicketClosed
from domain.inbound.ports import EndpointFacts
from domain.inbound.webhook_signature import hmac_sha1_hex, require_match, signature_header
from domain.integrations.providers import Provider

_CREATED: Final = "conversation.user.created"
_CLOSED: Final = "conversation.admin.closed"
_NOTED: Final = "conversation.admin.noted"
_CUSTOMERS: Final = frozenset({"user", "lead", "contact", "visitor"})
_WITH_WORDS: Final = frozenset({"comment", "note", "open", "close"})


class _Author(HelpdeskShape):
    type: str = ""
    id: MaybeId = None
    name: MaybeText = None
    email: MaybeText = None


class _Source(HelpdeskShape):
    id: MaybeId = None
    subject: MaybeText = None
    body: MaybeText = None
    author: _Author = _Author()


class _Part(HelpdeskShape):
    id: Id
    part_type: str = ""
    body: MaybeText = None
    author: _Author = _Author()


class _Parts(HelpdeskShape):
    conversation_parts: tuple[_Part, ...] = ()


class _Conversation(HelpdeskShape):
    id: Id
    source: _Source = _Source()
    conversation_parts: _Parts = _Parts()


class _Data(HelpdeskShape):
    item: _Conversation


class _Notification(HelpdeskShape):
    data: _Data


class _Named(HelpdeskShape):
    id: Id
    topic: str


class IntercomWebhooks:
    provider = Provider.INTERCOM
    # The "ping" topic is not listed, and is therefore ignored. It is signed like any other topic,
    # but has no content.
    topics: Mapping[str, WebhookKind] = {
        _CREATED: WebhookKind.TICKET,
        "conversation.user.replied": WebhookKind.TICKET,
        "conversation.admin.replied": WebhookKind.TICKET,
        _NOTED: WebhookKind.TICKET,
        _CLOSED: WebhookKind.TICKET,
    }
    max_body = MAX_BODY
    refusal_status = 401
    needs_secret = True
    signs = True
    is_limited = True
    # A lead types its own address, and the web page sets the address of a user. No field states
    # that identity verification passed, so no notification proves an address.
    author_proof = AuthorProof.NOTHING

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(
        self,
        request: InboundRequest,
        secrets: tuple[str, ...],
        now: datetime,  # noqa: ARG002 - the protocol requires it
    ) -> None:
        given = signature_header(request, "x-hub-signature")
        require_match([f"sha1={hmac_sha1_hex(secret, request.body)}" for secret in secrets], given)

    def identify(self, request: InboundRequest) -> Identity:
        named = parsed(_Named, request.body)
        return Identity(dedup_key=named.id, topic=named.topic[:200])

    def read(
        self,
        request: InboundRequest,
        identity: Identity,
        facts: EndpointFacts,  # noqa: ARG002 - the protocol requires it
    ) -> Meaning:
        conversation = parsed(_Notification, request.body).data.item
        if identity.topic == _CLOSED:
            return TicketClosed(conversation.id)
        if identity.topic == _CREATED:
            return _of_source(conversation)
        return _of_part(conversation, by_staff=".admin." in identity.topic)


def _of_source(conversation: _Conversation) -> Meaning:
    """Return the meaning of the message that opened the conversation."""
    source = conversation.source
    if source.body is None:
        return Nothing("no_words")
    return meaning_of(
        HelpdeskMessage(
            provider=Provider.INTERCOM,
            ticket_id=conversation.id,
            author=Author.CUSTOMER,
            text=source.body,
            message_id=source.id,
            is_first=True,
            author_id=source.author.id,
            customer_email=source.author.email,
            customer_name=source.author.name,
            subject=source.subject,
        )
    )


def _of_part(conversation: _Conversation, *, by_staff: bool) -> Meaning:
    """Return the meaning of the newest conversation part that has text and was written by the side
    that the topic identifies (customer or staff)."""
    parts = [
        part
        for part in conversation.conversation_parts.conversation_parts
        if part.part_type in _WITH_WORDS and (part.author.type in _CUSTOMERS) != by_staff
    ]
    if not parts:
        raise WebhookUnreadable("no_part_of_its_author")
    part = parts[-1]
    if part.body is None:
        return Nothing("no_words")
    return meaning_of(
        HelpdeskMessage(
            provider=Provider.INTERCOM,
            ticket_id=conversation.id,
            author=Author.STAFF if by_staff else Author.CUSTOMER,
            text=part.body,
            message_id=part.id,
            is_public=part.part_type != "note",
            written_by=part.author.id if by_staff else None,
            author_id=None if by_staff else part.author.id,
            customer_email=None if by_staff else part.author.email,
            customer_name=None if by_staff else part.author.name,
            subject=conversation.source.subject,
        )
    )
