"""Emails as the providers post them, with their signatures."""

import base64
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import JsonValue

from adapters.system import new_ulid, utc_now
from domain.core.attached_file import AttachedFile
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.meaning import InboundTicket
from domain.inbound.platforms.sendgrid import SIGNATURE, TIMESTAMP
from domain.inbound.ports import EndpointFacts, Platform
from domain.intake.event import UnifiedEvent
from domain.intake.normalization import normalize

FACTS: Final = EndpointFacts("integration")
SIGNING_KEY: Final = "key-of-a-merchant"
BOUNDARY: Final = "xYzZY"


@dataclass(frozen=True, slots=True)
class Mail:
    """A customer's email. `headers`: additional headers, in order."""

    author: str = "Ana <ana@customer.example>"
    to: str = "help@shop.example"
    subject: str = "Ma commande"
    text: str = "Bonjour, où est ma commande ?"
    html: str = ""
    message_id: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    files: tuple[AttachedFile, ...] = ()
    envelope_from: str = "ana@customer.example"

    @property
    def all_headers(self) -> tuple[tuple[str, str], ...]:
        named = () if self.message_id is None else (("Message-ID", self.message_id),)
        return (
            *self.headers,
            ("From", self.author),
            ("To", self.to),
            ("Subject", self.subject),
            *named,
        )


def by_postmark(mail: Mail, *, provider_id: str | None = None, **more: JsonValue) -> InboundRequest:
    beside = {"From", "To", "Subject"}
    body: dict[str, JsonValue] = {
        "From": mail.author.rpartition("<")[2].rstrip(">"),
        "FromName": mail.author.rpartition("<")[0].strip(),
        "To": mail.to,
        "OriginalRecipient": mail.to,
        "MessageID": provider_id or new_ulid(),
        "Subject": mail.subject,
        "TextBody": mail.text,
        "HtmlBody": mail.html,
        "Headers": [
            {"Name": name, "Value": value}
            for name, value in (("Return-Path", f"<{mail.envelope_from}>"), *mail.all_headers)
            if name not in beside
        ],
        "Attachments": [
            {
                "Name": file.name,
                "ContentType": file.claimed_type,
                "Content": base64.b64encode(file.data).decode(),
                "ContentLength": len(file.data),
            }
            for file in mail.files
        ],
        **more,
    }
    return InboundRequest({"content-type": "application/json"}, json.dumps(body).encode())


def by_mailgun(
    mail: Mail, *, at: datetime | None = None, key: str = SIGNING_KEY, token: str | None = None
) -> InboundRequest:
    timestamp, token = str(int((at or utc_now()).timestamp())), token or new_ulid()
    signed = f"{timestamp}{token}".encode()
    fields = {
        "recipient": mail.to,
        "sender": mail.envelope_from,
        "from": mail.author,
        "To": mail.to,
        "subject": mail.subject,
        "body-plain": mail.text,
        "body-html": mail.html,
        "message-headers": json.dumps(mail.all_headers),
        "timestamp": timestamp,
        "token": token,
        "signature": hmac.new(key.encode(), signed, sha256).hexdigest(),
    }
    if not mail.files:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return InboundRequest(headers, urlencode(fields).encode())
    return multipart(fields.items(), mail.files)


@dataclass(frozen=True, slots=True)
class SendgridKey:
    """The key pair of a SendGrid security policy."""

    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    @property
    def public(self) -> str:
        der = self.private.public_key().public_bytes(
            Encoding.DER, PublicFormat.SubjectPublicKeyInfo
        )
        return base64.b64encode(der).decode()

    def sign(self, request: InboundRequest, at: datetime | None = None) -> InboundRequest:
        timestamp = str(int((at or utc_now()).timestamp()))
        signed = self.private.sign(timestamp.encode() + request.body, ec.ECDSA(hashes.SHA256()))
        headers = {SIGNATURE: base64.b64encode(signed).decode(), TIMESTAMP: timestamp}
        return InboundRequest({**request.headers, **headers}, request.body)


@cache
def sendgrid_key() -> SendgridKey:
    return SendgridKey()


def by_sendgrid(
    mail: Mail,
    *,
    dkim: str = "none",
    spf: str = "none",
    more: Iterable[tuple[str, str | bytes]] = (),
    charsets: Mapping[str, str] | None = None,
) -> InboundRequest:
    """Return an unsigned SendGrid request. `sendgrid_key().sign` signs the request. `charsets` are
    the charsets of the fields, by default UTF-8."""
    known = dict.fromkeys(("to", "from", "subject", "text", "html"), "UTF-8")
    known |= charsets or {}
    fields: list[tuple[str, str | bytes]] = [
        ("headers", "".join(f"{name}: {value}\n" for name, value in mail.all_headers)),
        ("dkim", dkim),
        ("to", mail.to),
        ("from", mail.author),
        ("subject", mail.subject),
        ("text", mail.text.encode(known["text"])),
        ("html", mail.html),
        ("sender_ip", "192.0.2.7"),
        ("envelope", json.dumps({"to": [mail.to], "from": mail.envelope_from})),
        ("charsets", json.dumps(known)),
        ("SPF", spf),
        *more,
    ]
    return multipart(fields, mail.files)


def multipart(
    fields: Iterable[tuple[str, str | bytes]],
    files: Iterable[AttachedFile] = (),
    boundary: str = BOUNDARY,
) -> InboundRequest:
    """Return a multipart body as the providers write it. It contains a part per field, and then the
    files."""
    parts = [
        _part(f'name="{name}"', value if isinstance(value, bytes) else value.encode())
        for name, value in fields
    ]
    parts += [
        _part(f'name="attachment{place}"; filename="{file.name}"', file.data, file.claimed_type)
        for place, file in enumerate(files, start=1)
    ]
    line = f"--{boundary}\r\n".encode()
    body = b"".join(line + part for part in parts) + f"--{boundary}--\r\n".encode()
    return InboundRequest({"content-type": f"multipart/form-data; boundary={boundary}"}, body)


def _part(names: str, data: bytes, kind: str | None = None) -> bytes:
    more = f"Content-Type: {kind}\r\n" if kind else ""
    return f"Content-Disposition: form-data; {names}\r\n{more}\r\n".encode() + data + b"\r\n"


def ticket(
    platform: Platform, request: InboundRequest, facts: EndpointFacts = FACTS
) -> InboundTicket:
    meaning = platform.read(request, platform.identify(request), facts)
    assert isinstance(meaning, InboundTicket)
    return meaning


def unified(
    platform: Platform, request: InboundRequest, facts: EndpointFacts = FACTS
) -> UnifiedEvent:
    # The client's own list of mail servers does not apply here.
    return normalize(
        ticket(platform, request, facts).event,
        fallback_ticket_id="ticket",
        authserv_ids=("mx.shop.example", "mx.forged.example"),
    )
