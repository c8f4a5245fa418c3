"""Mailgun's webhooks: its routes post emails as forms. The signature covers a token but not the
content."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.core.attached_file import AttachedFile
from domain.core.json_size import exceeds_values
from domain.inbound.author_proof import AuthorProof
from domain.inbound.body import MAX_JSON, MAX_MAIL_VALUES
from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.form import PostedForm, read_form
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.mail import (
    INBOUND,
    MAX_BODY,
    MAX_HTML,
    MAX_TEXT,
    InboundMail,
    key_of,
    ticket_of,
)
from domain.inbound.meaning import Meaning
from domain.inbound.ports import EndpointFacts
from domain.inbound.webhook_signature import (
    check_age,
    hmac_sha256_hex,
    require_match,
    signed_seconds,
)
from domain.intake.mail_headers import decoded_json, header_pairs
from domain.integrations.providers import Provider

# The tolerance must exceed the 8 hours during which Mailgun retries, so that an outage loses no
# emails. It allows no replays, because each token is stored for 30 days.
_TOLERANCE: Final = timedelta(hours=12)
_MAX_TOKEN: Final = 200
_HEADERS: Final = "message-headers"
_MAX_HEADERS: Final = 400_000
_UTF8: Final = 4


@dataclass(frozen=True, slots=True)
class _Proof:
    timestamp: str
    token: str
    signature: str


class _Signature(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    timestamp: str | int
    token: str = Field(min_length=1, max_length=_MAX_TOKEN)
    signature: str


class _EventData(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    event: str


class _Event(BaseModel):
    """A webhook about an email that was sent through Mailgun. The endpoint receives it if the
    merchant has configured the same URL for sent and received emails."""

    model_config = ConfigDict(frozen=True, strict=True)

    signature: _Signature
    data: _EventData = Field(alias="event-data")


class MailgunRoutes:
    """A parser of the requests posted by the `forward` action of a Mailgun route."""

    provider = Provider.MAILGUN
    topics: Mapping[str, WebhookKind] = {INBOUND: WebhookKind.TICKET}
    max_body = MAX_BODY
    refusal_status = 406
    needs_secret = True
    signs = True
    is_limited = True
    author_proof = AuthorProof.MAIL

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        try:
            proof = _proof(_event(request) or read_form(request))
        except WebhookUnreadable:
            raise InboundRefused(RefusalReason.UNREADABLE) from None
        signed = f"{proof.timestamp}{proof.token}".encode()
        require_match([hmac_sha256_hex(secret, signed) for secret in secrets], proof.signature)
        check_age(signed_seconds(proof.timestamp), now, _TOLERANCE, both_ways=True)

    def identify(self, request: InboundRequest) -> Identity:
        event = _event(request)
        proof = _proof(event or read_form(request))
        topic = INBOUND if event is None else key_of(f"event.{event.data.event}")
        return Identity(proof.token, topic)

    def read(
        self,
        request: InboundRequest,
        identity: Identity,
        facts: EndpointFacts,
    ) -> Meaning:
        form = read_form(request)
        if "body-mime" in form.fields:
            raise WebhookUnreadable("raw_mime")
        headers, are_all = _headers(form)
        return ticket_of(
            InboundMail(
                provider=self.provider,
                provider_id=identity.dedup_key,
                headers=headers,
                has_all_headers=are_all,
                author=form.text("from") or form.text("From") or "",
                to=form.text("To") or "",
                cc=form.text("Cc") or "",
                reply_to=form.text("Reply-To") or "",
                recipients=tuple((form.text("recipient") or "").split(",")[:20]),
                returns_to=form.only("sender"),
                subject=form.text("subject") or "",
                text=form.text("body-plain", _UTF8 * MAX_TEXT) or "",
                html=form.text("body-html", _UTF8 * MAX_HTML) or "",
                files=tuple(
                    AttachedFile(file.filename, file.content_type, file.data) for file in form.files
                ),
            ),
            facts.settings,
        )


def _event(request: InboundRequest) -> _Event | None:
    """Parse a webhook about a sent mail. Return None for a received mail. Raises
    WebhookUnreadable."""
    if not request.headers.get("content-type", "").lower().startswith("application/json"):
        return None
    if len(request.body) > MAX_JSON or exceeds_values(request.body, MAX_MAIL_VALUES):
        raise WebhookUnreadable("not_an_event")
    try:
        return _Event.model_validate_json(request.body)
    except ValidationError:
        raise WebhookUnreadable("not_an_event") from None


def _proof(given: _Event | PostedForm) -> _Proof:
    """Return the timestamp, token and signature of a request. Raises InboundRefused."""
    if isinstance(given, _Event):
        signature = given.signature
        return _Proof(str(signature.timestamp), signature.token, signature.signature)
    found = [given.only(name) for name in ("timestamp", "token", "signature")]
    timestamp, token, signed = (value or "" for value in found)
    if not timestamp:
        raise InboundRefused(RefusalReason.TIMESTAMP_MISSING)
    if not signed or not 0 < len(token) <= _MAX_TOKEN:
        raise InboundRefused(RefusalReason.SIGNATURE_MISSING)
    return _Proof(timestamp, token, signed)


def _headers(form: PostedForm) -> tuple[tuple[tuple[str, str], ...], bool]:
    """Return the email's headers, and whether they are complete. Raises WebhookUnreadable without
    valid headers.

    Only headers distinguish an automatic email from a person's email.
    """
    try:
        decoded = decoded_json(form.text(_HEADERS, _MAX_HEADERS) or "")
    except (ValueError, RecursionError):
        raise WebhookUnreadable("headers_broken") from None
    found, are_all = header_pairs(decoded)
    return found, are_all and form.came_once(_HEADERS)
