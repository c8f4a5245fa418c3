"""A session as its visitor sees it: its messages in their order, and its state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

MESSAGES_A_READ: Final = 100
"""For more, the script asks again after the last of them."""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """`number`: of the session, from 1, without gaps, in the order of the commits."""

    number: int
    author: Literal["customer", "agent", "human"]
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SessionState:
    """`thinking`: the agent works on a message. `waiting`: a person will answer. `reviewing`: a
    person has taken it up. `verified_email`: masked; None for a visitor who is not verified."""

    thinking: bool = False
    waiting: bool = False
    reviewing: bool = False
    verified_email: str | None = None


def masked(email: str) -> str:
    """An address as its owner recognizes it, without revealing it: `j…@free.example`."""
    local, at, domain = email.rpartition("@")
    return f"{local[:1]}…{at}{domain}"
