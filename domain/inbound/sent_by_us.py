"""Decide whether the agent wrote a message that a helpdesk reports.

The author's address alone does not prove it, because people may work under the agent's account.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from html import unescape
from typing import Final

from domain.inbound.meaning import StaffMessage
from domain.intake.customer_email import customer_key
from domain.integrations.providers import Provider

IN_FLIGHT: Final = timedelta(minutes=1)
"""Time to wait for an unfinished message of the agent. A possible match counts as a person's
afterwards."""

_TAG: Final = re.compile(r"<[^<>]*>")
_MAX_CHARS: Final = 200_000
# Some helpdesks prefix a message with the author's name.
_MAX_HEAD: Final = 80
_MIN_INK: Final = 12


class Authorship(StrEnum):
    """The author of a message. `undecided`: the agent is currently sending a message, and this may
    be that one."""

    OURS = "ours"
    PEOPLE = "people"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message that the agent wrote in the ticket, or started to write. `reference`: the
    platform's id for the message, once known. `keys`: the idempotency keys with which the message
    may have been sent. `is_settled`: the message's outcome is known, or will never be."""

    reference: str | None
    keys: frozenset[str]
    text: str
    begun_at: datetime
    is_settled: bool


def own_author(provider: Provider, settings: Mapping[str, str]) -> str | None:
    """Return the platform's identifier for the agent's account, or None if the settings do not
    contain it. For Gorgias it is among the credentials instead."""
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
    """Determine the author: by the platform's id, then by the idempotency key, then by the text.

    The text is compared only with the last message sent and with unfinished ones. `written`: the
    agent's messages, newest first. `own`: the result of `own_author`.
    """
    if any(one.reference == message.message_id for one in written):
        return Authorship.OURS
    if any(message.key in one.keys for one in written):
        return Authorship.OURS
    if own and message.by and customer_key(own) != customer_key(message.by):
        return Authorship.PEOPLE
    on_their_way = [one for one in written if not one.is_settled and now - one.begun_at < IN_FLIGHT]
    candidates = (*written[:1], *on_their_way)
    if any(says_the_same(message.text, one.text, after_head=True) for one in candidates):
        return Authorship.OURS
    return Authorship.UNDECIDED if on_their_way else Authorship.PEOPLE


def says_the_same(told: str, sent: str, *, after_head: bool = False) -> bool:
    """Return whether two texts match, ignoring HTML and spaces that a helpdesk adds.

    `after_head`: whether a name may precede the text.
    """
    if max(len(told), len(sent)) > _MAX_CHARS:
        return False
    ours = _ink(sent)
    if not ours:
        return False
    for form in (_TAG.sub(" ", told), told):
        theirs = _ink(unescape(form))
        head = len(theirs) - len(ours)
        if theirs == ours:
            return True
        if after_head and len(ours) >= _MIN_INK and 0 < head <= _MAX_HEAD and theirs.endswith(ours):
            return True
    return False


def _ink(text: str) -> str:
    """Return a text without whitespace, in NFC."""
    return "".join(unicodedata.normalize("NFC", text).split())
