"""A question to the copilot: the conversation so far, ending with the user's message."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MAX_MESSAGES: Final = 20
MAX_MESSAGE: Final = 4_000
"""Maximum length of one message, in characters."""


class Speaker(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class CopilotMessage:
    """A message of the conversation. `content`: for the assistant's messages, the text that the
    browser sent back, which the user may have changed."""

    role: Speaker
    content: str


@dataclass(frozen=True, slots=True)
class CopilotQuestion:
    """A conversation of at least one message. The last message is the user's."""

    messages: tuple[CopilotMessage, ...]

    @property
    def text(self) -> str:
        """The text of the current question."""
        return self.messages[-1].content

    @property
    def earlier(self) -> tuple[str, ...]:
        """The user's earlier messages, latest first."""
        own = [one.content for one in self.messages[:-1] if one.role is Speaker.USER]
        return tuple(reversed(own))
