"""A JSON template for helpdesks without their own webhook format. The helpdesk sends it with a
secret header. `docs/inbound/` has the template for each helpdesk."""

import json
from collections.abc import Mapping
from typing import Final, Literal

from domain.inbound.endpoint import SECRET_HEADER
from domain.inbound.errors import RefusalReason, WebhookUnreadable
from domain.inbound.helpdesk_news import (
    Author,
    HelpdeskMessage,
    HelpdeskShape,
    Id,
    MaybeBool,
    MaybeId,
    MaybeText,
    closed_or_nothing,
    meaning_of,
    parsed,
)
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.meaning import Meaning, Nothing
from domain.inbound.webhook_signature import require_match, signature_header
from domain.intake.customer_email import is_same_customer
from domain.integrations.providers import Provider

# Both topics have the same kind and therefore share one queue, because the order of messages and
# state changes matters.
FORM_TOPICS: Final[Mapping[str, WebhookKind]] = {
    "message": WebhookKind.TICKET,
    "status": WebhookKind.TICKET,
}


class HelpdeskForm(HelpdeskShape):
    """A filled-in template. `from_agent` means that the merchant's staff or software wrote the
    message. `first` means that it opened the ticket. If this service sent it, `external_id` is the
    action's idempotency key."""

    event: Literal["message", "status"]
    ticket_id: Id
    status: MaybeText = None
    updated_at: MaybeText = None
    subject: MaybeText = None
    message_id: MaybeId = None
    message: MaybeText = None
    public: MaybeBool = None
    first: MaybeBool = None
    from_agent: MaybeBool = None
    author_email: MaybeText = None
    customer_email: MaybeText = None
    customer_name: MaybeText = None
    external_id: MaybeText = None


def filled_form(body: bytes) -> HelpdeskForm:
    """Parse a filled-in template. Raises WebhookUnreadable if customer text may have altered the
    fields.

    Some helpdesks insert customer text without escaping it. The text can repeat, add or move
    fields, but cannot remove one. Names must therefore be unique, values must not be nested, and
    the author's fields are required.
    """
    try:
        body_read = json.loads(body, object_pairs_hook=_names_once)
    except (ValueError, RecursionError):
        raise WebhookUnreadable("no_known_shape") from None
    if not isinstance(body_read, dict):
        raise WebhookUnreadable("no_known_shape")
    if any(isinstance(value, dict | list) for value in body_read.values()):
        raise WebhookUnreadable("nested")
    form = parsed(HelpdeskForm, body)
    if not _required_of(form) <= form.model_fields_set:
        raise WebhookUnreadable("name_missing")
    return form


def _names_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    named = dict(pairs)
    if len(named) != len(pairs):
        raise WebhookUnreadable("name_twice")
    return named


def _required_of(form: HelpdeskForm) -> frozenset[str]:
    """Return the names of the fields that a template must contain, even if the helpdesk leaves them
    empty."""
    if form.event == "status":
        return frozenset()
    if form.from_agent is True:
        return frozenset({"from_agent"})
    return frozenset({"from_agent", "author_email", "customer_email"})


def check_secret(request: InboundRequest, secrets: tuple[str, ...]) -> None:
    """Verify that the request contains a valid secret in its secret header. Raises
    InboundRefused."""
    given = signature_header(request, SECRET_HEADER.lower(), RefusalReason.SIGNATURE_MISSING)
    require_match(secrets, given)


def form_meaning(form: HelpdeskForm, provider: Provider, settings: Mapping[str, str]) -> Meaning:
    """Return the meaning of a filled-in template.

    A message from the agent's own address is never a customer's message. A wrong template therefore
    cannot start a loop.
    """
    if form.event == "status":
        return closed_or_nothing(form.ticket_id, form.status)
    if form.message is None:
        return Nothing("no_words")
    own = is_same_customer(form.author_email, settings.get("email"))
    by_staff = own or form.from_agent is True
    return meaning_of(
        HelpdeskMessage(
            provider=provider,
            ticket_id=form.ticket_id,
            author=Author.STAFF if by_staff else Author.CUSTOMER,
            text=form.message,
            message_id=form.message_id,
            is_first=form.first is True,
            is_public=form.public is not False,
            written_by=form.author_email,
            customer_email=form.customer_email if by_staff else _writer(form),
            customer_name=form.customer_name,
            subject=form.subject,
            key=form.external_id,
            stamp=form.updated_at or "",
        )
    )


def _writer(form: HelpdeskForm) -> str | None:
    return form.author_email or form.customer_email
