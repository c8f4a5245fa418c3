"""Decide whether the agent wrote a message reported by a helpdesk.

The author's address is not sufficient, because human agents may use the agent's account.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.core.text import UnicodeForm, normalized, unescaped
from domain.inbound.meaning import StaffMessage
from domain.intake.customer_email import is_same_customer
from domain.integrations.providers import Provider

IN_FLIGHT: Final = timedelta(minutes=1)
"""The period for which the agent's message counts as being sent. A reported message that may be the
agent's stays undecided for this time, and is then attributed to a human."""

_TAG: Final = re.compile(r"<[^<>]*>")
_MAX_CHARS: Final = 200_000
# Some helpdesks insert the author's name before a message. This is the maximum length of the name,
# in characters, excluding spaces.
_MAX_HEAD: Final = 80
_MIN_INK: Final = 12
# NFC composes at most this many characters into one character.
_MOST_COMPOSED: Final = 4


class Authorship(StrEnum):
    """The author of a message in a ticket. `undecided` means that the agent is sending a message
    right now, possibly this one."""

    OURS = "ours"
    PEOPLE = "people"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message that the agent sent, or started to send, to the ticket.

    - `reference`: the platform's id for the message, once known.
    - `keys`: the idempotency keys with which it may have been sent.
    - `is_settled`: the outcome is final, even if unknown.
    - `bare`: the text without the AI disclosure, as earlier versions sent it. Empty for a human's
      text or a note.
    """

    reference: str | None
    keys: frozenset[str]
    text: str
    started_at: datetime
    is_settled: bool
    bare: str = ""


def own_author(provider: Provider, settings: Mapping[str, str]) -> str | None:
    """Return the platform's identifier for the agent's account, or None if the settings lack it.
    Gorgias keeps it in the credentials, so the result is None."""
    match provider:
        case Provider.INTERCOM:
            return settings.get("admin_id")
        case Provider.ZENDESK | Provider.FRESHDESK:
            return settings.get("email")
        case _:
            return None


def authorship(
    message: StaffMessage, written: Sequence[AgentMessage], own: str | None, now: datetime
) -> Authorship:
    """Return the author of the message. Compare the platform's id, the idempotency key, the
    author's account and the text, in this order.

    `written` are the agent's messages in the ticket, newest first. Only the newest and the
    unfinished are compared by text. `own` is the result of `own_author`.
    """
    if any(one.reference == message.message_id for one in written):
        return Authorship.OURS
    if any(message.key in one.keys for one in written):
        return Authorship.OURS
    if own and message.by and not is_same_customer(own, message.by):
        return Authorship.PEOPLE
    on_their_way = [
        one for one in written if not one.is_settled and now - one.started_at < IN_FLIGHT
    ]
    candidates = (*written[:1], *on_their_way)
    sent = (text for one in candidates for text in (one.text, one.bare))
    if any(says_the_same(message.text, text, after_head=True) for text in sent):
        return Authorship.OURS
    return Authorship.UNDECIDED if on_their_way else Authorship.PEOPLE


def says_the_same(received: str, sent: str, *, after_head: bool = False) -> bool:
    """Return True if the text reported by a helpdesk is the text that was sent, ignoring added HTML
    and whitespace.

    `after_head` means that the helpdesk may put a name before the text.
    """
    if max(len(received), len(sent)) > _MAX_CHARS:
        return False
    ours = _ink(sent)
    if not ours:
        return False
    longest = _MOST_COMPOSED * (len(ours) + _MAX_HEAD)
    for form in (_TAG.sub(" ", received), received):
        # Skip a text that is too long, because its length determines the cost of the comparison. A
        # character reference is at least one character, and takes much longer to decode than one.
        if form.count("&") > longest:
            continue
        shown = "".join(unescaped(form).split())
        if len(shown) > longest:
            continue
        theirs = _ink(shown)
        head = len(theirs) - len(ours)
        if theirs == ours:
            return True
        if after_head and len(ours) >= _MIN_INK and 0 < head <= _MAX_HEAD and theirs.endswith(ours):
            return True
    return False


def _ink(text: str) -> str:
    """Return a text without whitespace, in NFC. Whitespace is removed first because it separates
    combining characters that NFC would reorder."""
    return normalized("".join(text.split()), UnicodeForm.NFC)
