"""A widget session as displayed to its visitor: its messages in order, and its state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

MESSAGES_A_READ: Final = 100
"""Maximum number of messages per response. To get more, the widget's script requests the messages
after the last message that it received."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file in a teammate's message. `size`: in bytes."""

    id: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message in a widget session. `number` is the message's one-based number within the session,
    in commit order and without gaps."""

    number: int
    author: Literal["customer", "agent", "human"]
    text: str
    created_at: datetime
    files: tuple[ShownFile, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state of a widget session. `waiting`: a human agent will answer. `reviewing`: a reviewer
    has claimed the review. `verified_email` is masked, or None."""

    thinking: bool = False
    waiting: bool = False
    reviewing: bool = False
    verified_email: str | None = None


def masked(email: str) -> str:
    """Return the address masked, such as `j…@free.example`. Its owner can still recognize it."""
    local, at, domain = email.rpartition("@")
    return f"{local[:1]}…{at}{domain}"
