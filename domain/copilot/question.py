"""A question to the copilot: the conversation so far, ending with the user's message."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MAX_MESSAGES: Final = 20
MAX_MESSAGE: Final = 4_000
"""The most characters of one message."""


class Speaker(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class CopilotMessage:
    """`content`: the assistant's is what the browser sent back, so the user may have changed it."""

    role: Speaker
    content: str


@dataclass(frozen=True, slots=True)
class CopilotQuestion:
    """At least one message. The last is the user's."""

    messages: tuple[CopilotMessage, ...]

    @property
    def text(self) -> str:
        """The present question."""
        return self.messages[-1].content

    @property
    def earlier(self) -> tuple[str, ...]:
        """The user's earlier messages, latest first."""
        own = [one.content for one in self.messages[:-1] if one.role is Speaker.USER]
        return tuple(reversed(own))
