"""A question to the copilot: the conversation so far, ending with the user's message."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from domain.copilot.words import Tongue
from domain.dashboard.preferences import DEFAULT_ZONE

MAX_MESSAGES: Final = 20
MAX_MESSAGE: Final = 4_000
"""Maximum length of one message to the copilot, in characters."""


class Speaker(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class CopilotMessage:
    """A message in the conversation with the copilot. The browser sends earlier answers back, so
    the user may have altered them."""

    role: Speaker
    content: str


@dataclass(frozen=True, slots=True)
class AskerContext:
    """The user's context. `language` is used if the question itself does not show one. `record_id`
    is the record on the current page, to which `this ticket` refers."""

    language: Tongue = "fr"
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo(DEFAULT_ZONE))
    record_id: str | None = None


@dataclass(frozen=True, slots=True)
class CopilotQuestion:
    """A conversation of at least one message. The last message is from the user."""

    messages: tuple[CopilotMessage, ...]
    asker: AskerContext = field(default_factory=AskerContext)

    @property
    def text(self) -> str:
        """Return the text of the current question."""
        return self.messages[-1].content

    @property
    def earlier(self) -> tuple[str, ...]:
        """Return the user's earlier messages, latest first."""
        own = [one.content for one in self.messages[:-1] if one.role is Speaker.USER]
        return tuple(reversed(own))
