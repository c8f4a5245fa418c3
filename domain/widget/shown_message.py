"""A session as shown to its visitor: its messages in order, and its state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

MESSAGES_A_READ: Final = 100
"""Maximum number of messages per response. To get more, the script requests those after the last
one."""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message of a session. `number`: the message's number in the session: from 1, without gaps,
    in commit order."""

    number: int
    author: Literal["customer", "agent", "human"]
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state of a session. `thinking`: the agent is processing a message. `waiting`: a person
    will answer. `reviewing`: a person has claimed the review. `verified_email`: masked; None for an
    unverified visitor."""

    thinking: bool = False
    waiting: bool = False
    reviewing: bool = False
    verified_email: str | None = None


def masked(email: str) -> str:
    """Mask an address so that its owner can still recognize it: `j…@free.example`."""
    local, at, domain = email.rpartition("@")
    return f"{local[:1]}…{at}{domain}"
