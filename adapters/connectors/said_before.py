"""Search for an earlier message from the agent in a ticket, for helpdesks without idempotency keys.

It is identified by author and text. Messages before the customer's last one are not matched,
because the same text may have answered another question.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.inbound.sent_by_us import says_the_same
from domain.integrations.errors import ActionUnknown


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """One message in a ticket. `is_ours` means that the agent's account wrote it, and that it is of
    the kind searched for."""

    id: str
    text: str
    is_ours: bool
    by_customer: bool = False


def said_before(messages: Sequence[SaidMessage], *texts: str) -> str | None:
    """Return the id of our message with one of these texts, or None.

    `messages` are all messages in the ticket, oldest first. An empty text matches no message.
    Raises ActionUnknown if the text was sent only before the customer's last message.
    """
    is_before_customer = False
    for message in reversed(messages):
        is_before_customer |= message.by_customer
        if message.is_ours and any(says_the_same(message.text, text) for text in texts):
            if is_before_customer:
                raise ActionUnknown("started before, and the same words were said before too")
            return message.id
    return None
