"""Postmark's webhooks: received emails as JSON. The secret token in the URL is the only
authentication."""

import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from domain.core.attached_file import AttachedFile
from domain.core.json_size import exceeds_values
from domain.inbound.author_proof import AuthorProof
from domain.inbound.body import MAX_MAIL_VALUES
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.mail import INBOUND, MAX_BODY, InboundMail, key_of, ticket_of
from domain.inbound.meaning import Meaning, Nothing
from domain.inbound.ports import EndpointFacts
from domain.intake.mail_headers import header_pairs
from domain.integrations.providers import Provider

_MAX_HEADERS: Final = 1_000
_MAX_FILES: Final = 500
# Message id of the sample email in Postmark's documentation, which Postmark's "Check" button sends.
_SAMPLE: Final = "22c74902-a0c1-4511-804f-341342852c90"


_Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class _Header(_Part):
    name: _Text = Field(alias="Name")
    value: _Text = Field(alias="Value")


class _File(_Part):
    name: _Text = Field(default="", alias="Name")
    content_type: _Text = Field(default="", alias="ContentType")
    content: _Text = Field(default="", alias="Content", repr=False)


class _Box(_Part):
    email: _Text = Field(default="", alias="Email")


class _Mail(_Part):
    """The fields read from a body. `record` is the type of a webhook about a sent mail, or INBOUND
    for a received one."""

    id: str = Field(alias="MessageID", min_length=1)
    record: str = Field(default=INBOUND, alias="RecordType")
    author: _Text = Field(default="", alias="From")
    author_name: _Text = Field(default="", alias="FromName")
    to: _Text = Field(default="", alias="To")
    cc: _Text = Field(default="", alias="Cc")
    bcc: tuple[_Box, ...] = Field(default=(), alias="BccFull", max_length=_MAX_HEADERS)
    reply_to: _Text = Field(default="", alias="ReplyTo")
    recipient: _Text = Field(default="", alias="OriginalRecipient")
    subject: _Text = Field(default="", alias="Subject")
    text: _Text = Field(default="", alias="TextBody", repr=False)
    html: _Text = Field(default="", alias="HtmlBody", repr=False)
    headers: tuple[_Header, ...] = Field(default=(), alias="Headers", max_length=_MAX_HEADERS)
    files: tuple[_File, ...] = Field(default=(), alias="Attachments", max_length=_MAX_FILES)


class PostmarkInbound:
    """A parser of the requests that Postmark posts to an inbound stream's webhook."""

    provider = Provider.POSTMARK
    topics: Mapping[str, WebhookKind] = {INBOUND: WebhookKind.TICKET}
    max_body = MAX_BODY
    refusal_status = 403
    needs_secret = False
    signs = False
    is_limited = True
    author_proof = AuthorProof.MAIL

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(
        self,
        request: InboundRequest,
        secrets: tuple[str, ...],
        now: datetime,
    ) -> None:
        """Do nothing: Postmark does not sign its webhooks, and the secret URL has identified the
        endpoint."""

    def identify(self, request: InboundRequest) -> Identity:
        mail = _read(request)
        topic = key_of(mail.record.lower())
        key = mail.id if topic == INBOUND else f"{topic}:{mail.id}"
        return Identity(key_of(key), topic)

    def read(
        self,
        request: InboundRequest,
        identity: Identity,  # noqa: ARG002 - the protocol requires it
        facts: EndpointFacts,
    ) -> Meaning:
        mail = _read(request)
        if mail.id == _SAMPLE:
            return Nothing("provider_test")
        headers, are_all = header_pairs([[header.name, header.value] for header in mail.headers])
        return ticket_of(
            InboundMail(
                provider=self.provider,
                provider_id=mail.id,
                headers=headers,
                has_all_headers=are_all,
                author=_author(mail),
                to=mail.to,
                cc=mail.cc,
                reply_to=mail.reply_to,
                recipients=tuple(filter(None, (mail.recipient, *(box.email for box in mail.bcc)))),
                subject=mail.subject,
                text=mail.text,
                html=mail.html,
                files=tuple(map(_file, mail.files)),
            ),
            facts.settings,
        )


def _read(request: InboundRequest) -> _Mail:
    if exceeds_values(request.body, MAX_MAIL_VALUES):
        raise WebhookUnreadable("not_a_mail")
    try:
        return _Mail.model_validate_json(request.body)
    except ValidationError:
        raise WebhookUnreadable("not_a_mail") from None


def _author(mail: _Mail) -> str:
    """Return the email's author in the format of a From header."""
    name = mail.author_name.replace("\\", "").replace('"', "")
    return f'"{name}" <{mail.author}>' if name and "<" not in mail.author else mail.author


def _file(file: _File) -> AttachedFile:
    """Decode an attached file. Invalid base64 yields an empty file, so that the email is not
    lost."""
    try:
        data = binascii.a2b_base64(file.content, strict_mode=True)
    except (binascii.Error, ValueError):
        data = b""
    return AttachedFile(file.name, file.content_type, data)
