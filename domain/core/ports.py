"""Ports that the rules and activities of several domains share; `adapters/` implements them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from domain.core.error_report import ErrorReport
from domain.core.ids import TenantId

Clock = Callable[[], datetime]
"""Returns the current time, aware and in UTC."""

NewId = Callable[[], str]
"""Returns a new ULID in upper case."""


class OutgoingMail(BaseModel):
    """A mail that the service sends. `name`: the local part of its Message-ID, the same for every
    attempt; the sender's domain follows it. `auto_submitted`: the RFC 3834 value, which
    distinguishes a reply to a mail from other automatic mail."""

    model_config = ConfigDict(frozen=True)

    name: str
    to: str
    from_name: str
    subject: str
    text: str
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    auto_submitted: Literal["auto-replied", "auto-generated"] = "auto-replied"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """A client's own mail server. TLS is always required. `starttls`: whether TLS starts with
    STARTTLS instead of with the connection. `sealed_password`: unset if `username` is unset."""

    host: str
    port: int
    starttls: bool
    username: str | None = None
    sealed_password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MailSender:
    """The sender of a client's mails. `server`: None for the service's own server. An unverified
    sender (`verified` is false) can only send to its own address."""

    client_id: TenantId
    address: str
    reply_to: str | None = None
    signature: str = ""
    server: SmtpServer | None = None
    verified: bool = True


@dataclass(frozen=True, slots=True)
class ServicePermit:
    """The permission to send one mail to `to` from the service's own sender address.

    Only `activities/integrations/` issues it: for a fixed-text service mail within its limits, or
    for an address that has written to us (decision 0074).
    """

    to: str


class Mailer(Protocol):
    async def send(self, mail: OutgoingMail, by: MailSender | ServicePermit) -> str:
        """Send one mail and return its Message-ID.

        `by`: the client's sender, or the permit to use the service's own. Raises MailRefused,
        MailUnreachable (not sent), MailUnknown.
        """


class Sealer(Protocol):
    """Encryption of values that pass through Temporal."""

    def seal(self, text: str) -> str: ...

    def unseal(self, sealed: str) -> str:
        """Return the plain text. Raises ValueError if the value was not sealed with our key."""

    def digests(self, text: str) -> tuple[bytes, ...]:
        """Return keyed digests (HMAC-SHA256), from which only a holder of the key can identify the
        text.

        There is one digest for each key, the newest key's first.
        """


class ErrorTracker(Protocol):
    """Reports errors of the service to its operators."""

    def report(self, report: ErrorReport) -> None:
        """Store a report on disk before returning.

        Never raises. Called on the event loop's thread.
        """
