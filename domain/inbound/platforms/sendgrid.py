"""SendGrid's Inbound Parse webhooks: emails as forms. They are signed if the merchant has attached
a security policy."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key
from pydantic import JsonValue

from domain.core.attached_file import AttachedFile
from domain.inbound.author_proof import AuthorProof
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
    is_author_of,
    message_id,
    ticket_of,
)
from domain.inbound.meaning import Meaning
from domain.inbound.ports import EndpointFacts
from domain.inbound.webhook_signature import check_age, signature_header, signed_seconds
from domain.intake.mail_headers import MAX_BLOCK_CHARS, header_pairs
from domain.integrations.providers import Provider

SIGNATURE: Final = "x-twilio-email-event-webhook-signature"
TIMESTAMP: Final = "x-twilio-email-event-webhook-timestamp"

# The tolerance must exceed the 3 days during which SendGrid retries, so that an outage loses no
# emails. It allows no replays, because each email's key is stored for 30 days.
_TOLERANCE: Final = timedelta(days=4)
_UTF8: Final = 4
# Number of bytes read from a header block. A block that is cut to this size still exceeds
# MAX_BLOCK_CHARS, so it is recognized as truncated.
_MAX_HEADERS: Final = _UTF8 * (MAX_BLOCK_CHARS + 1)
_MAX_CHARSET: Final = 40
# Matches a single signature, but not a list. In a list, a part of one signature could be mistaken
# for another signature.
_DKIM: Final = re.compile(r"\{@([A-Za-z0-9.-]{1,253}) : pass\}")


class SendgridParse:
    """A parser of requests from SendGrid Inbound Parse. If the endpoint has a secret, the secret is
    a public key, and requests must be signed with the matching private key."""

    provider = Provider.SENDGRID
    topics: Mapping[str, WebhookKind] = {INBOUND: WebhookKind.TICKET}
    max_body = MAX_BODY
    refusal_status = 403
    needs_secret = False
    signs = True
    is_limited = True
    author_proof = AuthorProof.MAIL

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        """Verify the signature if the merchant has attached a security policy.

        `secrets` are public keys as base64 of DER. Without a policy, only the secret URL
        authenticates the request.
        """
        if not secrets:
            return
        signature = signature_header(request, SIGNATURE)
        timestamp = signature_header(request, TIMESTAMP, RefusalReason.TIMESTAMP_MISSING)
        signed = timestamp.encode() + request.body
        if not any(_is_signed(signed, signature, secret) for secret in secrets):
            raise InboundRefused(RefusalReason.SIGNATURE_WRONG)
        check_age(signed_seconds(timestamp), now, _TOLERANCE, both_ways=True)

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of an email: its Message-ID, or the digest of its body if there is
        none. SendGrid does not assign an id."""
        headers, _ = _headers(read_form(request))
        return Identity(message_id(headers) or f"sha256:{request.digest.hex()}", INBOUND)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        form = read_form(request)
        if "email" in form.fields:
            raise WebhookUnreadable("raw_mime")
        charsets = _object(form, "charsets")
        envelope = _object(form, "envelope")
        to = envelope.get("to")
        headers, are_all = _headers(form)
        mail = InboundMail(
            provider=self.provider,
            provider_id=identity.dedup_key,
            headers=headers,
            has_all_headers=are_all,
            author=_text(form, "from", charsets),
            to=_text(form, "to", charsets),
            cc=_text(form, "cc", charsets),
            recipients=tuple(filter(None, map(_string, to[:20]))) if isinstance(to, list) else (),
            returns_to=_string(envelope["from"]) if "from" in envelope else None,
            subject=_text(form, "subject", charsets),
            text=_text(form, "text", charsets, _UTF8 * MAX_TEXT),
            html=_text(form, "html", charsets, _UTF8 * MAX_HTML),
            files=tuple(
                AttachedFile(file.filename, file.content_type, file.data) for file in form.files
            ),
        )
        is_vouched = facts.is_signed and (
            _dkim_proves(form, mail) or _spf_proves(form, mail, envelope)
        )
        return ticket_of(mail, facts.settings, is_vouched=is_vouched)


def _is_signed(signed: bytes, signature: str, key: str) -> bool:
    """Return True if the owner of the key signed the bytes, using ECDSA with P-256 and SHA-256."""
    owner = public_key(key)
    if owner is None:
        return False
    try:
        given = base64.b64decode(signature, validate=True)
        owner.verify(given, signed, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def public_key(text: str) -> ec.EllipticCurvePublicKey | None:
    """Return the P-256 public key from the base64 of DER that SendGrid displays, or None if the
    text is not such a key."""
    try:
        key = load_der_public_key(base64.b64decode(text, validate=True))
    except (UnsupportedAlgorithm, binascii.Error, ValueError):
        return None
    if isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1):
        return key
    return None


def _dkim_proves(form: PostedForm, mail: InboundMail) -> bool:
    """Return True if SendGrid verified a DKIM signature for the email's From domain."""
    found = _DKIM.fullmatch((form.only("dkim") or "").strip())
    return found is not None and is_author_of(mail, found[1])


def _spf_proves(form: PostedForm, mail: InboundMail, envelope: Mapping[str, JsonValue]) -> bool:
    """Return True if the sending server passed SPF for the envelope sender, and the envelope
    sender's domain is the email's From domain."""
    sender = _string(envelope.get("from", ""))
    passed = (form.only("SPF") or "").strip().lower() == "pass"
    return passed and "@" in sender and is_author_of(mail, sender)


def _headers(form: PostedForm) -> tuple[tuple[tuple[str, str], ...], bool]:
    """Return the email's headers, and whether they are complete. Raises WebhookUnreadable without
    headers.

    Only headers distinguish an automatic email from a person's email.
    """
    found, are_all = header_pairs(form.text("headers", _MAX_HEADERS))
    if not found:
        raise WebhookUnreadable("raw_mime" if "email" in form.fields else "headers_broken")
    return found, are_all and form.came_once("headers")


def _object(form: PostedForm, name: str) -> Mapping[str, JsonValue]:
    """Return the JSON object in a form field, or an empty object if the field is repeated, missing
    or not a JSON object."""
    try:
        decoded: JsonValue = json.loads(form.only(name) or "")
    except (ValueError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _text(
    form: PostedForm, name: str, charsets: Mapping[str, JsonValue], limit: int = 8_000
) -> str:
    charset = _string(charsets.get(name, "")) or "utf-8"
    return form.text(name, limit, charset=charset[:_MAX_CHARSET]) or ""


def _string(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
