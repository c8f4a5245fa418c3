"""The own message: whether the agent wrote what a helpdesk sends.

Never by the author's address alone: people may work under the agent's account.
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
"""How long a message that was begun is waited for, before what comes of it is taken for a
person's."""

_TAG: Final = re.compile(r"<[^<>]*>")
_MAX_CHARS: Final = 200_000
# What some helpdesks put before a message: its author's name.
_MAX_HEAD: Final = 80
_MIN_INK: Final = 12


class Authorship(StrEnum):
    """`undecided`: a message of ours is on its way, and this may be it."""

    OURS = "ours"
    PEOPLE = "people"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """One that the agent wrote in the ticket, or began to. `reference`: the platform's name for it,
    once it is known. `keys`: what it may have been sent with. `is_settled`: what came of it is
    known, or will never be."""

    reference: str | None
    keys: frozenset[str]
    text: str
    begun_at: datetime
    is_settled: bool


def own_author(provider: Provider, settings: Mapping[str, str]) -> str | None:
    """What the platform calls the agent's account; None where the settings do not tell: Gorgias'
    agent is among the credentials."""
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
    """Who wrote it: by the platform's id, by our action's key, and last by the words, which count
    only for the last that was sent and for those on their way. `written`: the newest first. `own`:
    as `own_author` says."""
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
    """Whether the words are those that were sent, whatever a helpdesk made of their form: HTML and
    spaces. `after_head`: a name may stand before them."""
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
    """What is left of a text without its spaces."""
    return "".join(unicodedata.normalize("NFC", text).split())
