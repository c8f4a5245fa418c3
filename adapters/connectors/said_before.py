"""Search for an earlier message of ours in a ticket of a helpdesk that stores no idempotency key.

The message is identified by its author and its text, and only among the messages since the
customer's last one. Before that, the same text may have answered another message.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.inbound.sent_by_us import says_the_same
from domain.integrations.errors import ActionUnknown


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """One message of a ticket. `is_ours`: whether the agent's account wrote it, and it has the
    searched kind."""

    id: str
    text: str
    is_ours: bool
    by_customer: bool = False


def said_before(messages: Sequence[SaidMessage], text: str) -> str | None:
    """Return the id of the message with this text, or None if the message was certainly not sent.

    `messages`: all messages of the ticket, oldest first. Raises ActionUnknown if the same text
    answered an earlier message.
    """
    for message in reversed(messages):
        if message.by_customer:
            break
        if message.is_ours and says_the_same(message.text, text):
            return message.id
    if any(message.is_ours and says_the_same(message.text, text) for message in messages):
        raise ActionUnknown("begun before, and the same words were said before too")
    return None
