"""Said before: the search for a message of ours in a ticket of a helpdesk that stores no key.

It is identified by its author and its words, and only among the messages since the customer's last
one: before that, the same words may have answered another message.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.inbound.own_message import says_the_same
from domain.integrations.errors import ActionUnknown


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """One message of a ticket. `is_ours`: it is by the agent's account, and of the kind searched
    for."""

    id: str
    text: str
    is_ours: bool
    by_customer: bool = False


def said_before(messages: Sequence[SaidMessage], text: str) -> str | None:
    """Return the id of the message with this text, or None if it certainly was not sent.
    `messages`: all of the ticket's, oldest first. Raises ActionUnknown if the same words answered
    an earlier message."""
    for message in reversed(messages):
        if message.by_customer:
            break
        if message.is_ours and says_the_same(message.text, text):
            return message.id
    if any(message.is_ours and says_the_same(message.text, text) for message in messages):
        raise ActionUnknown("begun before, and the same words were said before too")
    return None
