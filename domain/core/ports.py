"""What rules and activities of every noun need from outside; `adapters/` provides it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from domain.core.error_report import ErrorReport
from domain.core.ids import TenantId

Clock = Callable[[], datetime]
"""Aware UTC now."""

NewId = Callable[[], str]
"""A fresh ULID, upper case."""


class OutgoingMail(BaseModel):
    """A mail of ours. `name`: what stands before the @ of its Message-ID, the same however often it
    is tried; the sender's domain follows it. `auto_submitted`: what RFC 3834 calls it, a reply to
    somebody's mail or one of our own accord."""

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
    """A client's own mail server. `starttls`: TLS begins within the connection, else with it; there
    is no way without. `sealed_password`: unset where `username` is."""

    host: str
    port: int
    starttls: bool
    username: str | None = None
    sealed_password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MailSender:
    """Whose name a client's mails go out under. `server`: None for the service's own. One that is
    not `verified` can write to itself only."""

    client_id: TenantId
    address: str
    reply_to: str | None = None
    signature: str = ""
    server: SmtpServer | None = None
    verified: bool = True


@dataclass(frozen=True, slots=True)
class ServicePermit:
    """The right to send one mail to `to` under the service's own sender.

    Only `activities/integrations/` issues it: for a fixed-text service mail within its limits, or
    for an address that has written in (decision 0074).
    """

    to: str


class Mailer(Protocol):
    async def send(self, mail: OutgoingMail, by: MailSender | ServicePermit) -> str:
        """Hand one mail over and return its Message-ID. `by`: the client's sender, or the permit
        to use the service's own.

        Raises MailRefused, MailUnreachable (not sent), MailUnknown.
        """


class Sealer(Protocol):
    """Encryption for what must cross Temporal unread."""

    def seal(self, text: str) -> str: ...

    def unseal(self, sealed: str) -> str:
        """Raises ValueError if the text was not sealed with our key."""

    def digests(self, text: str) -> tuple[bytes, ...]:
        """Keyed digests (HMAC-SHA256) by which who has the text and a key knows it again: one for
        each key, the newest first."""


class ErrorTracker(Protocol):
    """Where operators hear of errors on our side."""

    def report(self, report: ErrorReport) -> None:
        """Take a report over, on disk when this returns. Never raises.

        Called on the event loop's thread.
        """
