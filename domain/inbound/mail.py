"""An inbound mail, in one format for all mail providers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from pydantic import JsonValue

from domain.core.attached_file import AttachedFile
from domain.inbound.meaning import InboundTicket
from domain.intake.customer_email import is_same_customer
from domain.intake.event import InboundEvent
from domain.intake.mail_authentication import RESULTS, SIGNATURE, is_of, is_proved, without_length
from domain.intake.mail_headers import message_ids, only_mailbox
from domain.integrations.providers import AUTHSERV_ID, Provider

MAX_BODY: Final = 25 * 1024 * 1024
"""Maximum size of an email with its attachments, in bytes."""

INBOUND: Final = "inbound"
"""The topic of an inbound mail."""

MAX_TEXT: Final = 100_000
MAX_HTML: Final = 500_000
_MAX_KEY: Final = 250
_EVENT_TYPE: Final = "email.inbound"


@dataclass(frozen=True, slots=True)
class InboundMail:
    """An email as received from its provider. Its content is untrusted.

    - `headers`: lower-case names with their values, topmost first.
    - `has_all_headers`: no header is missing or truncated.
    - `author`: the From address as reported by the provider.
    - `recipients`: the delivery addresses, which may differ from the To header.
    - `returns_to`: the envelope sender, empty for a bounce, or None if not reported.
    """

    provider: Provider
    provider_id: str
    headers: Sequence[tuple[str, str]]
    has_all_headers: bool
    author: str
    to: str = ""
    cc: str = ""
    reply_to: str = ""
    recipients: tuple[str, ...] = ()
    returns_to: str | None = None
    subject: str = ""
    text: str = ""
    html: str = ""
    files: tuple[AttachedFile, ...] = ()

    def values(self, name: str) -> tuple[str, ...]:
        return tuple(value for known, value in self.headers if known == name)

    @property
    def only_author(self) -> str | None:
        """The address in the From header if it is the only one there and the provider reports the
        same address, otherwise None."""
        froms = self.values("from")
        mailbox = only_mailbox(self.author)
        box = only_mailbox(froms[0]) if froms else mailbox
        if len(froms) > 1 or box is None or mailbox is None or box.address is None:
            return None
        same = is_same_customer(box.address, mailbox.address)
        return box.address if same else None


def ticket_of(
    mail: InboundMail, settings: Mapping[str, str], *, is_vouched: bool = False
) -> InboundTicket:
    """Return the email as a ticket. `settings` are the settings of the integration.

    `is_vouched` means that the mail provider verified the From domain. Otherwise, only the
    merchant's mail server named in the settings can verify it. Any sender can write
    Authentication-Results headers, so they are not passed on. An email with truncated headers or a
    partial signature is not verified, because anyone who has the email can append text.
    """
    mail = _storable(mail)
    author = mail.only_author
    server = settings.get(AUTHSERV_ID)
    is_whole = mail.has_all_headers and without_length(mail.values(SIGNATURE))
    is_genuine = (author is not None and is_whole) and (
        is_vouched or (bool(server) and is_proved(author, mail.values(RESULTS), (str(server),)))
    )
    headers: list[JsonValue] = [[name, value] for name, value in mail.headers if name != RESULTS]
    if mail.returns_to is not None:
        headers.insert(0, ["return-path", f"<{mail.returns_to.strip().strip('<>')}>"])
    payload: dict[str, JsonValue] = {
        "from": mail.author,
        "to": mail.to,
        "cc": mail.cc,
        "reply_to": mail.reply_to,
        "recipients": list(mail.recipients),
        "subject": mail.subject,
        "text": mail.text[:MAX_TEXT],
        "html": mail.html[:MAX_HTML],
        "headers": headers,
    }
    if is_genuine:
        payload["customer_verified"] = True
    event = InboundEvent(
        event_type=_EVENT_TYPE,
        source=mail.provider.value,
        payload={name: value for name, value in payload.items() if value},
    )
    return InboundTicket(event, message_key=message_key(mail), attachments=mail.files)


def _storable(mail: InboundMail) -> InboundMail:
    """Return the email without the characters that PostgreSQL cannot store. They would make the
    email fail on every attempt and block the emails queued behind it."""
    return replace(
        mail,
        provider_id=_text(mail.provider_id),
        headers=[(_text(name), _text(value)) for name, value in mail.headers],
        author=_text(mail.author),
        to=_text(mail.to),
        cc=_text(mail.cc),
        reply_to=_text(mail.reply_to),
        recipients=tuple(map(_text, mail.recipients)),
        returns_to=None if mail.returns_to is None else _text(mail.returns_to),
        subject=_text(mail.subject),
        text=_text(mail.text),
        html=_text(mail.html),
    )


def _text(given: str) -> str:
    return given.replace("\0", "").encode(errors="replace").decode()


def message_key(mail: InboundMail) -> str:
    """Return a key for the email: its Message-ID if it has one, otherwise the provider's id. The
    Message-ID stays the same however the email arrives."""
    return key_of(next(iter(_ids(mail.headers)), mail.provider_id))


def message_id(headers: Iterable[tuple[str, str]]) -> str | None:
    """Return the key derived from the Message-ID in the headers, or None if they contain none."""
    found = next(iter(_ids(headers)), None)
    return None if found is None else key_of(found)


def key_of(name: str) -> str:
    """Return a key of at most _MAX_KEY characters for an untrusted id. A longer id is replaced by
    its SHA-256."""
    return name if len(name) <= _MAX_KEY else sha256(name.encode()).hexdigest()


def is_author_of(mail: InboundMail, proved: str) -> bool:
    """Return True if authentication of `proved` also authenticates the email's From address.
    `proved` is a domain or an address."""
    author = mail.only_author
    return author is not None and is_of(author, proved)


def _ids(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    value = next((value for name, value in headers if name == "message-id"), "")
    return message_ids(value)
