"""Search for an earlier message from the agent in a ticket, for helpdesks that store no idempotency
key.

The message is identified by its author and its text. Messages before the customer's last message
are not matched, because the same text may have answered an earlier message.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.inbound.sent_by_us import says_the_same
from domain.integrations.errors import ActionUnknown


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """One message in a ticket. `is_ours`: whether the message was written by the agent's account
    and is of the kind that is searched for."""

    id: str
    text: str
    is_ours: bool
    by_customer: bool = False


def said_before(messages: Sequence[SaidMessage], *texts: str) -> str | None:
    """Return the id of our message with one of these texts, or None if no such message was sent.

    `messages`: all messages in the ticket, oldest first. An empty text matches no message. Raises
    ActionUnknown if the same text was sent only before the customer's last message.
    """
    is_before_customer = False
    for message in reversed(messages):
        is_before_customer |= message.by_customer
        if message.is_ours and any(says_the_same(message.text, text) for text in texts):
            if is_before_customer:
                raise ActionUnknown("started before, and the same words were said before too")
            return message.id
    return None
