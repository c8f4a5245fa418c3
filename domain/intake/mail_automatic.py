"""Detect mail that must not be answered: automatic email, mailing lists and bounces.

The module checks the headers of RFC 3834, section 2, and the headers of known programs. Programs
that set no such header are recognized by their text, in the languages of `mail_automatic.yaml`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.text import fold
from domain.intake.mail_sender import is_robot

# Automatic replies are short, so a longer text is treated as a customer's own words.
_MAX_TEXT: Final = 1_500
_MAX_SUBJECT: Final = 500
_BLANKS: Final = re.compile(r"[ \t]+")
_ANSWERED: Final = frozenset({"auto-replied", "auto-notified"})
_BULK: Final = frozenset({"bulk", "list", "junk", "auto_reply", "auto-reply"})


class MailAutomatic(LexiconFile):
    adverbs: frozenset[str]
    subjects: tuple[str, ...]
    away_subjects: tuple[str, ...]
    bounces: tuple[str, ...]
    likely_bounces: tuple[str, ...]
    mail_words: tuple[str, ...]
    says_so: tuple[str, ...]
    away: tuple[str, ...]
    returns: tuple[str, ...]
    matters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Patterns:
    adverbs: re.Pattern[str]
    subject: re.Pattern[str]
    away_subject: re.Pattern[str]
    bounce: re.Pattern[str]
    likely_bounce: re.Pattern[str]
    mail_words: re.Pattern[str]
    says_so: re.Pattern[str]
    away: re.Pattern[str]
    returns: re.Pattern[str]
    matters: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    words = lexicon(__file__, MailAutomatic)
    # A sentence begins after a line break, a full stop or a greeting. Text after a colon or in
    # quotation marks is excluded because the customer may be quoting it.
    begins = r"(?:^|^[^\n.!?:]{0,40},|[\n.!;])[ \n>*_]{0,4}"
    ends = r"\s*(?:$|[:([,–—-])"
    return _Patterns(
        adverbs=re.compile(rf"\b(?:{_any(words.adverbs)})\b ?"),
        subject=re.compile(rf"(?:{_any(words.subjects)}){ends}"),
        away_subject=re.compile(rf"(?:{_any(words.away_subjects)}){ends}"),
        bounce=re.compile(rf"(?:{_any(words.bounces)})\b"),
        likely_bounce=re.compile(rf"(?:{_any(words.likely_bounces)})\b"),
        mail_words=re.compile(rf"\b(?:{_any(words.mail_words)})\b"),
        says_so=re.compile(rf"{begins}(?:{_any(words.says_so)})\b"),
        away=re.compile(rf"{begins}(?:{_any(words.away)})(?!\w)"),
        returns=re.compile(rf"\b(?:{_any(words.returns)})"),
        matters=re.compile(rf"\b(?:{_any(words.matters)})|#\d"),
    )


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def may_reply(
    headers: Mapping[str, str],
    senders: Iterable[str | None],
    subject: str,
    text: str = "",
    *,
    by_form: bool = False,
) -> bool:
    """Return True if an email may be answered, and False for auto-replies, mailing lists, bounces
    and programs.

    Answering them would cause a loop or remain unread. If `by_form` is true, a program forwarded a
    customer's text. Generated mail may then be answered, but an automatic reply may not.
    """
    submitted = headers.get("auto-submitted", "").partition(";")[0].strip().lower()
    suppress = headers.get("x-auto-response-suppress", "").strip().lower()
    precedence = headers.get("precedence", "").strip().lower()
    made_by_program = (
        submitted not in {"", "no"},
        suppress not in {"", "none"},
        precedence in _BULK,
        "list-unsubscribe" in headers or "list-unsubscribe-post" in headers,
        any(is_robot(address) for address in senders if address),
        is_automatic(subject, text),
    )
    refused = (
        submitted in _ANSWERED,
        precedence in _BULK - {"bulk"},
        # Headers of mailing lists (RFC 2369 and 2919): List-Id, List-Post, List-Help and others.
        any(name.startswith("list-") and "unsubscribe" not in name for name in headers),
        bool({"x-failed-recipients", "x-autoreply", "x-autorespond"} & headers.keys()),
        headers.get("return-path", "<x>").replace(" ", "") in {"", "<>"},
        headers.get("content-type", "").lower().startswith("multipart/report"),
        _is_bounce(subject),
        not by_form and any(made_by_program),
    )
    return not any(refused)


def is_automatic(subject: str, text: str) -> bool:
    """Return True if the subject or text indicates an automatic reply or a bounce.

    Texts longer than _MAX_TEXT, and absence notices with an order or a question, count as a
    customer's own words.
    """
    patterns = _patterns()
    head = _plain(subject[:_MAX_SUBJECT])
    if patterns.subject.match(head) or _is_bounce(subject):
        return True
    if len(text) > _MAX_TEXT:
        return False
    spend(len(text))
    words = _plain(text)
    asks = "?" in words
    matters = (
        patterns.matters.search(head) is not None or patterns.matters.search(words) is not None
    )
    if patterns.likely_bounce.match(head) and patterns.mail_words.search(words):
        return not asks
    if patterns.says_so.search(words):
        return not (asks and matters)
    is_away = patterns.away.search(words) is not None and patterns.returns.search(words) is not None
    return (is_away or patterns.away_subject.match(head) is not None) and not (asks or matters)


def _is_bounce(subject: str) -> bool:
    return _patterns().bounce.match(_plain(subject[:_MAX_SUBJECT])) is not None


def _plain(text: str) -> str:
    folded = _BLANKS.sub(" ", fold(text).replace("’", "'")).strip()
    return _patterns().adverbs.sub("", folded)
