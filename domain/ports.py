"""What rules and activities need from outside, as they would say it; `adapters/` provides it."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from domain.contracts import ProcessEventInput, RunRef
from domain.error_report import ErrorReport

Clock = Callable[[], datetime]
"""Aware UTC now."""

NewId = Callable[[], str]
"""A fresh ULID, upper case."""


class OutgoingMail(BaseModel):
    """A reply by mail. `message_id` is ours and stays the same however often it is tried."""

    model_config = ConfigDict(frozen=True)

    message_id: str
    to: str
    from_name: str
    subject: str
    text: str
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()


class Mailer(Protocol):
    async def send(self, mail: OutgoingMail) -> None:
        """Hand one mail over. Raises MailRefused, MailUnreachable (not sent), MailUnknown."""


class Sealer(Protocol):
    """Encryption for what must cross Temporal unread."""

    def seal(self, text: str) -> str: ...

    def unseal(self, sealed: str) -> str:
        """Raises ValueError if the text was not sealed with our key."""


class Engine(Protocol):
    """Starting and waking runs, for whoever finds one left behind."""

    async def start(self, event: ProcessEventInput) -> bool:
        """Start a run's workflow; False if it is running already."""

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        """Tell a parked run to look for its decision; False if it no longer runs."""


class ErrorTracker(Protocol):
    """Where operators hear of errors on our side."""

    def report(self, report: ErrorReport) -> None:
        """Take a report over. Never raises and never waits: one too many is dropped and counted.

        Called on the event loop's thread.
        """
