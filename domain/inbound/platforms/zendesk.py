"""Zendesk's webhooks: for ticket events, and for triggers that send the service's template.

Source: developer.zendesk.com, "Verifying webhook authenticity" and "Ticket events".
"""

import base64
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Self

from pydantic import Field, model_validator

from domain.inbound.author_proof import AuthorProof
from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.helpdesk_form import FORM_TOPICS, filled_form, form_meaning
from domain.inbound.helpdesk_news import (
    MAX_BODY,
    Author,
    HelpdeskMessage,
    HelpdeskShape,
    Id,
    MaybeBool,
    MaybeId,
    MaybeText,
    Text,
    closed_or_nothing,
    meaning_of,
    parsed,
)
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import Meaning, Nothing
from domain.inbound.ports import EndpointFacts
from domain.inbound.webhook_signature import (
    check_age,
    hmac_sha256_base64,
    matches,
    require_match,
    signature_header,
)
from domain.integrations.providers import Provider

# The public secret with which Zendesk signs test requests for a webhook that has not been saved
# yet.
_TEST_SECRET: Final = base64.b64encode(b"this_secret_is_for_testing_only").decode()
_EVENT: Final = "zen:event-type:ticket."
_CREATED: Final = f"{_EVENT}created"
_COMMENT_ADDED: Final = f"{_EVENT}comment_added"
_STATUS_CHANGED: Final = f"{_EVENT}status_changed"
# A comment created within this time after the ticket is treated as the ticket's opening message.
_AT_ONCE: Final = timedelta(seconds=2)
_MAX_ID: Final = 200


class _Author(HelpdeskShape):
    id: MaybeId = None
    email: MaybeText = None
    name: MaybeText = None
    is_staff: bool


class _Comment(HelpdeskShape):
    id: Id
    body: Text = ""
    is_public: bool = True
    author: _Author


class _Change(HelpdeskShape):
    comment: _Comment | None = None
    current: MaybeText = None


class _Detail(HelpdeskShape):
    id: Id
    subject: MaybeText = None
    description: MaybeText = None
    status: MaybeText = None
    is_public: MaybeBool = None
    created_at: datetime | None = None
    requester_id: MaybeText = None
    actor_id: MaybeText = None


class _TicketEvent(HelpdeskShape):
    type: str = Field(max_length=_MAX_ID)
    time: datetime | None = None
    detail: _Detail
    event: _Change = _Change()

    @model_validator(mode="after")
    def _has_its_comment(self) -> Self:
        if self.type == _COMMENT_ADDED and self.event.comment is None:
            raise ValueError("no comment")
        return self


class _Named(HelpdeskShape):
    """The field that distinguishes Zendesk's two formats: a ticket event has a `type`, and a
    filled-in template has an `event`."""

    type: MaybeText = None


class _FormNamed(HelpdeskShape):
    event: str


class ZendeskWebhooks:
    provider = Provider.ZENDESK
    topics: Mapping[str, WebhookKind] = {
        **FORM_TOPICS,
        _CREATED: WebhookKind.TICKET,
        _COMMENT_ADDED: WebhookKind.TICKET,
        _STATUS_CHANGED: WebhookKind.TICKET,
    }
    max_body = MAX_BODY
    refusal_status = 401
    needs_secret = True
    signs = True
    is_limited = True
    # A comment's author comes from an email's From header or from a web form, so it is only a
    # claim. Neither an event field nor a trigger placeholder states that the author was signed in.
    author_proof = AuthorProof.NOTHING

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        """Verify the signature with the secret as text, without base64 decoding. Reject a timestamp
        far in the past or future."""
        signature = signature_header(request, "x-zendesk-webhook-signature")
        stamp = signature_header(
            request, "x-zendesk-webhook-signature-timestamp", RefusalReason.TIMESTAMP_MISSING
        )
        signed = stamp.encode() + request.body
        if matches([hmac_sha256_base64(_TEST_SECRET, signed)], signature):
            raise InboundRefused(RefusalReason.TEST_SECRET)
        require_match([hmac_sha256_base64(secret, signed) for secret in secrets], signature)
        check_age(_seconds(stamp), now, both_ways=True)

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of a delivery: its invocation id, which is the same in each retry."""
        invocation = request.headers.get("x-zendesk-webhook-invocation-id", "").strip()
        if not invocation or len(invocation) > _MAX_ID:
            raise WebhookUnreadable("no_invocation_id")
        named = parsed(_Named, request.body)
        topic = named.type or parsed(_FormNamed, request.body).event
        return Identity(dedup_key=invocation, topic=topic[:_MAX_ID])

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        if identity.topic in FORM_TOPICS:
            return form_meaning(filled_form(request.body), Provider.ZENDESK, facts.settings)
        ticket_event = parsed(_TicketEvent, request.body)
        if ticket_event.type == _STATUS_CHANGED:
            return closed_or_nothing(
                ticket_event.detail.id, ticket_event.event.current or ticket_event.detail.status
            )
        if ticket_event.event.comment is not None:
            return _of_comment(ticket_event, ticket_event.event.comment)
        return _of_new_ticket(ticket_event)


def _of_comment(ticket_event: _TicketEvent, comment: _Comment) -> Meaning:
    detail, by_staff = ticket_event.detail, comment.author.is_staff
    opened_at, at = detail.created_at, ticket_event.time
    first = opened_at is not None and at is not None and abs(at - opened_at) <= _AT_ONCE
    if not comment.body.strip():
        return Nothing("no_words")
    return meaning_of(
        HelpdeskMessage(
            provider=Provider.ZENDESK,
            ticket_id=detail.id,
            author=Author.STAFF if by_staff else Author.CUSTOMER,
            text=comment.body,
            # Zendesk may send both a ticket event and a comment event for a new ticket, and the
            # ticket event does not identify a comment. The comment's id is omitted here, so that
            # both events get the same name and count as one message.
            message_id=None if first and not by_staff else comment.id,
            is_first=first,
            is_public=comment.is_public,
            written_by=comment.author.email,
            author_id=None if by_staff else comment.author.id,
            customer_email=None if by_staff else comment.author.email,
            customer_name=None if by_staff else comment.author.name,
            subject=detail.subject,
        )
    )


def _of_new_ticket(ticket_event: _TicketEvent) -> Meaning:
    """Return the meaning of a new ticket. A ticket that staff opened for a customer is not a
    customer's message."""
    detail = ticket_event.detail
    if detail.description is None:
        return Nothing("no_words")
    if detail.actor_id is not None and detail.actor_id != detail.requester_id:
        return Nothing("opened_by_staff")
    return meaning_of(
        HelpdeskMessage(
            provider=Provider.ZENDESK,
            ticket_id=detail.id,
            author=Author.CUSTOMER,
            text=detail.description,
            is_first=True,
            is_public=detail.is_public is not False,
            author_id=detail.requester_id,
            subject=detail.subject,
        )
    )


def _seconds(stamp: str) -> float:
    """Return the Unix time in seconds of an ISO 8601 time with a time zone. Raises InboundRefused
    if the time is invalid."""
    try:
        at = datetime.fromisoformat(stamp)
    except ValueError:
        raise InboundRefused(RefusalReason.TIMESTAMP_MISSING) from None
    if at.tzinfo is None:
        raise InboundRefused(RefusalReason.TIMESTAMP_MISSING)
    return at.timestamp()
