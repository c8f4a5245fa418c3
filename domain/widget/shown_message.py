"""A session as its visitor sees it: its messages in order, and its state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

MESSAGES_A_READ: Final = 100
"""The script asks again after the last of them to get more."""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """`number`: its number in the session, from 1, without gaps, in the order of the commits."""

    number: int
    author: Literal["customer", "agent", "human"]
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SessionState:
    """`thinking`: the agent works on a message. `waiting`: a person will answer. `reviewing`: a
    person has claimed it. `verified_email`: masked; None for a visitor who is not verified."""

    thinking: bool = False
    waiting: bool = False
    reviewing: bool = False
    verified_email: str | None = None


def masked(email: str) -> str:
    """Mask an address so that its owner still recognizes it: `j…@free.example`."""
    local, at, domain = email.rpartition("@")
    return f"{local[:1]}…{at}{domain}"
