"""Ports shared by the rules and activities of several domains. `adapters/` implements them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from domain.core.attached_file import AttachedFile
from domain.core.error_report import ErrorReport
from domain.core.ids import TenantId

Clock = Callable[[], datetime]
"""A function that returns the current time as a timezone-aware datetime in UTC."""

NewId = Callable[[], str]
"""A function that returns a new ULID in upper case."""


class OutgoingMail(BaseModel):
    """An email that the service sends.

    - `name`: the local part of the Message-ID, the same for every attempt.
    - `auto_submitted`: the Auto-Submitted header (RFC 3834), which distinguishes a reply from other
      automatic email.
    - `color`: the merchant's color in the HTML part, or None for the service's color.
    - `unsubscribe_url`: the URL for one-click unsubscription (RFC 8058), or None.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    to: str
    from_name: str
    subject: str
    text: str
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    auto_submitted: Literal["auto-replied", "auto-generated"] = "auto-replied"
    color: str | None = None
    files: tuple[AttachedFile, ...] = ()
    unsubscribe_url: str | None = None


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """A client's own mail server. TLS is always required, and `starttls` selects STARTTLS instead
    of TLS from the first byte. `sealed_password` is encrypted."""

    host: str
    port: int
    starttls: bool
    username: str | None = None
    sealed_password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MailSender:
    """The sender of a client's emails. `server` is None for the service's own server. Until
    `verified` is true, the sender can send only to its own address."""

    client_id: TenantId
    address: str
    reply_to: str | None = None
    signature: str = ""
    server: SmtpServer | None = None
    verified: bool = True


@dataclass(frozen=True, slots=True)
class ServicePermit:
    """The permission to send one email to `to` from the service's own sender address.

    Only `activities/integrations/` issues it: for a fixed-text service mail within the limits, or
    for an address that has written to the service (decision 0074).
    """

    to: str


class Mailer(Protocol):
    async def send(self, mail: OutgoingMail, by: MailSender | ServicePermit) -> str:
        """Send one email and return its Message-ID. `by` is the client's sender, or a permit to use
        the service's own.

        Raises MailRefused, MailUnreachable (the email was not sent) or MailUnknown (it may have
        been sent).
        """


class Sealer(Protocol):
    """A sealer: it encrypts values before Temporal stores them, and computes keyed digests."""

    def seal(self, text: str) -> str: ...

    def unseal(self, sealed: str) -> str:
        """Return the plain text. Raises ValueError if the value was not sealed with our key."""

    def digests(self, text: str) -> tuple[bytes, ...]:
        """Return keyed digests of the text (HMAC-SHA256), one for each key, newest key first.

        Only a holder of the key can match a digest to its text.
        """


class ErrorTracker(Protocol):
    """A reporter of errors in the service to its operators."""

    def report(self, report: ErrorReport) -> None:
        """Store a report on disk before returning.

        This method never raises, and runs on the event loop's thread.
        """
