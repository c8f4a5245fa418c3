"""Said before: a message of ours looked for in a ticket of a helpdesk that keeps no key with it.

It is known by its author and its words, and only among what was written since the customer's last
message: before that, the same words may have answered another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.inbound.own_message import says_the_same
from domain.integrations.errors import ActionUnknown


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """One message of a ticket. `is_ours`: of the agent's account, and of the kind that is looked
    for."""

    id: str
    text: str
    is_ours: bool
    by_customer: bool = False


def said_before(messages: Sequence[SaidMessage], text: str) -> str | None:
    """The id of the message that says it; None if it surely was not said. `messages`: the oldest
    first, all of the ticket's. Raises ActionUnknown where the same words answered an earlier
    message."""
    for message in reversed(messages):
        if message.by_customer:
            break
        if message.is_ours and says_the_same(message.text, text):
            return message.id
    if any(message.is_ours and says_the_same(message.text, text) for message in messages):
        raise ActionUnknown("begun before, and the same words were said before too")
    return None
