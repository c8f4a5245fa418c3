"""Determine an email's author: the sender, the reply address, or the person who filled in a form.

A form, platform or program is never the customer, and may name any person. Authenticating its email
does not verify that person.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.plain_text import clean_line
from domain.core.text import fold
from domain.intake.customer_email import customer_key
from domain.intake.mail_headers import Mailbox, checked_address, mailbox

_MAX_LINES: Final = 200
_MAX_LINE_CHARS: Final = 500
_MAX_LABEL_CHARS: Final = 60
_NAME_CHARS: Final = 200
_NO_REPLY: Final = re.compile(
    r"(?:^|[-_.+])(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|ne[-_.]?pas[-_.]?r[eé]pondre"
    r"|n[aã]o[-_.]?responda|no[-_.]?responder|nicht[-_.]?antworten)(?:$|[-_.+=\d])",
    re.IGNORECASE,
)
_COLON: Final = re.compile("[:：|]")
_MARKS: Final = " \t*_#>•·-"
_REMARK: Final = re.compile(r"\([^()]{0,30}\)$")
_ADDRESS: Final = re.compile(r"[^\s@<>,;:\"()\[\]|*]{1,64}@[^\s@<>,;:\"()\[\]|*]{1,255}")
# The suffix to remove from the local part of an address: "bounces+12@…", "noreply-7@…".
_SUFFIX: Final = re.compile(r"(?:[+=].*|[-_.]?\d+)$")


class MailSenders(LexiconFile):
    robots: frozenset[str]
    platforms: frozenset[str]
    email_labels: frozenset[str]
    name_labels: frozenset[str]
    first_name_labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class Writer:
    """An email's author. If `is_sender` is true, authenticating the sender also verifies the
    author. If `by_form` is true, a form or program forwarded the text."""

    box: Mailbox
    is_sender: bool = False
    by_form: bool = False


@cache
def _words() -> MailSenders:
    return lexicon(__file__, MailSenders)


def is_robot(address: str) -> bool:
    """Return True if an address belongs to a form, platform or program that does not read mail."""
    local, _, domain = address.strip().lower().rpartition("@")
    parts = domain.rstrip(".").split(".")
    return (
        _SUFFIX.sub("", local) in _words().robots
        or _NO_REPLY.search(local) is not None
        or any(".".join(parts[place:]) in _words().platforms for place in range(len(parts)))
    )


def writer_of(
    sender: Mailbox, reply_to: Sequence[Mailbox], recipients: Collection[str], text: str
) -> Writer:
    """Return an email's author.

    If the sender is not a person, the author is the person named in the text, or else `reply_to`.
    `recipients` are the merchant's own addresses. Reads the first _MAX_LINES lines in linear time.
    """
    own = frozenset(filter(None, map(customer_key, recipients)))
    key = customer_key(sender.address)
    others = [box for box in reply_to if _may_be(box.address, own) and _key(box) != key]
    by_form = sender.address is not None and (is_robot(sender.address) or key in own)
    if by_form:
        spend(_MAX_LINES * _MAX_LINE_CHARS)
        lines = [line[:_MAX_LINE_CHARS] for line in text.split("\n", _MAX_LINES)[:_MAX_LINES]]
        named = _named_in_form(lines, own)
        # A reply address in the sending program's domain does not reach a customer.
        strangers = (box for box in others if _domain(box.address) != _domain(sender.address))
        return Writer(named or next(strangers, Mailbox()), by_form=True)
    if others:
        return Writer(others[0])
    return Writer(sender, is_sender=sender.address is not None)


def _domain(address: str | None) -> str:
    return (address or "").rpartition("@")[2].lower()


def _key(box: Mailbox) -> str | None:
    return customer_key(box.address)


def _may_be(address: str | None, own: Collection[str]) -> bool:
    return address is not None and customer_key(address) not in own and not is_robot(address)


def _named_in_form(lines: Sequence[str], own: Collection[str]) -> Mailbox | None:
    words = _words()
    address = name = first = None
    for label, value in _labelled(lines):
        if address is None and label in words.email_labels:
            found = _ADDRESS.search(value)
            checked = checked_address(found[0].rstrip(".")) if found else None
            if checked and _may_be(checked, own):
                address = checked
                name = name or mailbox(value).name
        elif name is None and label in words.name_labels:
            name = clean_line(value, _NAME_CHARS) or None
        elif first is None and label in words.first_name_labels:
            first = clean_line(value, _NAME_CHARS) or None
    if address is None:
        return None
    both = " ".join(dict.fromkeys(part for part in (first, name) if part))
    return Mailbox(both[:_NAME_CHARS] or None, address)


def _labelled(lines: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Yield the folded labels in a form, each with the value after the label. If no value follows
    the label on its line, the value is taken from the lines below."""
    words = _words()
    known = words.email_labels | words.name_labels | words.first_name_labels
    for index, line in enumerate(lines):
        label, *values = _COLON.split(line.strip(_MARKS + "|"), maxsplit=1)
        folded = fold(_REMARK.sub("", label.rstrip(_MARKS)[:_MAX_LABEL_CHARS])).strip(_MARKS)
        if folded not in known:
            continue
        value = "".join(values).strip(_MARKS + "|")
        below = (next_line.strip(_MARKS + "|") for next_line in lines[index + 1 : index + 3])
        yield folded, value or next(filter(None, below), "")
