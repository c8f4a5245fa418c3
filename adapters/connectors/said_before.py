"""Search for an earlier message from the agent in a ticket, for helpdesks that store no idempotency
key.

The message is identified by its author and its text. Only messages after the customer's last
message count as the same attempt, because the same text may have answered an earlier message.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.inbound.sent_by_us import says_the_same
from domain.integrations.errors import ActionUnknown


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """One message in a ticket. `is_ours`: whether the message was written by the agent's account
    and has the kind that is searched for."""

    id: str
    text: str
    is_ours: bool
    by_customer: bool = False


def said_before(messages: Sequence[SaidMessage], text: str) -> str | None:
    """Return the id of our message with this text, or None if the message was certainly not sent.

    `messages`: all messages in the ticket, oldest first. Raises ActionUnknown if the same text was
    sent only before the customer's last message.
    """
    for message in reversed(messages):
        if message.by_customer:
            break
        if message.is_ours and says_the_same(message.text, text):
            return message.id
    if any(message.is_ours and says_the_same(message.text, text) for message in messages):
        raise ActionUnknown("begun before, and the same words were said before too")
    return None
