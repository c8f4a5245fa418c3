"""The own message: decide whether the agent wrote a message that a helpdesk sends.

The author's address alone is not enough, because people may work under the agent's account.
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
"""Time to wait for an unfinished message, before a possible match counts as a person's."""

_TAG: Final = re.compile(r"<[^<>]*>")
_MAX_CHARS: Final = 200_000
# Some helpdesks put the author's name before a message.
_MAX_HEAD: Final = 80
_MIN_INK: Final = 12


class Authorship(StrEnum):
    """`undecided`: a message of the agent is being sent, and this may be that message."""

    OURS = "ours"
    PEOPLE = "people"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message that the agent wrote in the ticket, or started to write. `reference`: the
    platform's id of it, once known. `keys`: the keys that it may have been sent with. `is_settled`:
    its outcome is known, or will never be."""

    reference: str | None
    keys: frozenset[str]
    text: str
    begun_at: datetime
    is_settled: bool


def own_author(provider: Provider, settings: Mapping[str, str]) -> str | None:
    """Return the platform's identifier of the agent's account, or None if the settings do not
    contain it. Gorgias keeps it among the credentials."""
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
    """Determine the author: by the platform's id, then by the action's key, then by the text.

    The text is compared only with the last message sent and with unfinished ones. `written`: newest
    first. `own`: the result of `own_author`.
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
    """Return whether two texts match, apart from HTML and spaces added by a helpdesk. `after_head`:
    a name may precede the text."""
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
    """Return a text without its spaces."""
    return "".join(unicodedata.normalize("NFC", text).split())
