"""A question to the copilot: the conversation so far, whose last message is the user's."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MAX_MESSAGES: Final = 20
MAX_MESSAGE: Final = 4_000
"""Characters of one message."""


class Speaker(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class CopilotMessage:
    """`content` of the assistant is what the browser sent back: the user can have changed it."""

    role: Speaker
    content: str


@dataclass(frozen=True, slots=True)
class CopilotQuestion:
    """At least one message. The last is the user's."""

    messages: tuple[CopilotMessage, ...]

    @property
    def text(self) -> str:
        """What is asked now."""
        return self.messages[-1].content

    @property
    def earlier(self) -> tuple[str, ...]:
        """What the user asked before, the latest first."""
        own = [one.content for one in self.messages[:-1] if one.role is Speaker.USER]
        return tuple(reversed(own))
