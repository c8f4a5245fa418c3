"""Detect the kind of a question to the copilot, in French or English, and the records named in the
question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Final

from domain.copilot.periods import LastDays, period_named, without_period
from domain.copilot.question import CopilotQuestion
from domain.copilot.words import STOP_WORDS, Tongue, content_words, plain_words, tongue_of
from domain.core.ids import parse_ulid
from domain.core.lexicon import LexiconFile, lexicon
from domain.runs.inbox import InboxView

# Minimum score of a kind. If all scores are lower, the question has no kind, and the copilot
# searches the documents and the knowledge base.
_ENOUGH: Final = 2.0
# Maximum number of words in a question without a kind that continues the user's previous question.
_SHORT_WORDS: Final = 6

_EMAIL: Final = re.compile(r"[^\s<>,;:\"'()\[\]]{1,64}@[a-zA-Z0-9.\-]{1,190}[a-zA-Z0-9]")
_ULID: Final = re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}\b")
_ORDER: Final = re.compile(r"#\s?([A-Za-z0-9\-]{1,30})|\b([A-Za-z]{0,6}-?\d[\d\-]{2,29})\b")
# A first name and a last name.
_PERSON: Final = re.compile(r"[A-ZÀ-Þ][\w'’-]{1,40}(?: [A-ZÀ-Þ][\w'’-]{1,40})+")
_WHY: Final = ("why", "pourquoi")
_QUOTED: Final = re.compile(r"[\"«“]\s?([^\"«»“”]{1,200}?)\s?[\"»”]")


class AskedKind(StrEnum):
    """The kind of a question to the copilot.

    - `help`: about the product, answered from its documents.
    - `abilities`: about the copilot itself.
    - `act`: a request to perform an action.
    - `private`: about confidential data.
    - `search`: no other kind was detected.
    """

    WHY = "why"
    USAGE = "usage"
    WAITING = "waiting"
    GAPS = "gaps"
    TOPICS = "topics"
    REFUNDS = "refunds"
    MODEL_COSTS = "model_costs"
    FAILED_RUNS = "failed_runs"
    UNHAPPY = "unhappy"
    ATTENTION = "attention"
    POLICY_CHANGES = "policy_changes"
    ARTICLES = "articles"
    HELP = "help"
    CUSTOMER = "customer"
    WEBHOOKS = "webhooks"
    CHURN = "churn"
    METRICS = "metrics"
    PLAYBOOKS = "playbooks"
    ORDER = "order"
    KNOWLEDGE = "knowledge"
    INTEGRATIONS = "integrations"
    KEYS = "keys"
    MEMBERS = "members"
    AUDIT = "audit"
    ABILITIES = "abilities"
    ACT = "act"
    PRIVATE = "private"
    SEARCH = "search"


class AskedFigure(StrEnum):
    """The metric that a question asks for. `speed`: the response time."""

    AUTOMATION = "automation"
    SATISFACTION = "satisfaction"
    SPEED = "speed"
    VOLUME = "volume"


class _Cue(LexiconFile):
    weight: float
    words: str


class _Acts(LexiconFile):
    """Words that indicate a request for an action. `openings` start a request. `fillers` may
    precede the verb."""

    openings: tuple[str, ...]
    fillers: frozenset[str]
    verbs: tuple[str, ...]
    no_verbs: frozenset[str]


class _File(LexiconFile):
    how: tuple[str, ...]
    out_of_reach: tuple[str, ...]
    acts: _Acts
    cues: dict[AskedKind, tuple[_Cue, ...]]
    figures: dict[AskedFigure, tuple[str, ...]]
    by_reason: tuple[str, ...]
    views: dict[InboxView, tuple[str, ...]]
    goes_on: frozenset[str]


@cache
def _words() -> _File:
    return lexicon(__file__, _File)


@dataclass(frozen=True, slots=True)
class AskedOfCopilot:
    """The meaning of a question to the copilot.

    - `topic`: the words of the question, without those that determined its kind.
    - `person`: a first and last name.
    - `how`: it asks for instructions.
    - `figure`: the metric named in it, the first in the order of AskedFigure.
    - `by_reason`: it asks for reasons.
    - `view`: the view of the inbox that it names.
    - `nearest`: the kind with the highest score, even if that score is too low.
    - `page_record`: the record on the user's current page.
    """

    kind: AskedKind
    tongue: Tongue
    text: str
    topic: str = ""
    email: str | None = None
    record_id: str | None = None
    order: str | None = None
    person: str | None = None
    how: bool = False
    figure: AskedFigure | None = None
    by_reason: bool = False
    view: InboxView = InboxView.NEEDS
    nearest: AskedKind | None = None
    page_record: str | None = None


def asked_of(question: CopilotQuestion) -> AskedOfCopilot:
    """Return the kind of a question, its topic, and the records named in it.

    A short question without a kind inherits the kind and the named records from the user's previous
    question. So does a question that names only another period: `et la semaine dernière ?`.
    """
    otherwise = question.asker.language
    asked = replace(_asked(question.text, otherwise), page_record=question.asker.record_id)
    if not question.earlier:
        return asked
    is_new = asked.kind is not AskedKind.SEARCH or len(plain_words(question.text)) > _SHORT_WORDS
    if is_new and not _names_only_a_period(question.text):
        return asked
    before = _subject(question.earlier, otherwise)
    if before.kind in (AskedKind.SEARCH, AskedKind.ABILITIES, AskedKind.ACT, AskedKind.PRIVATE):
        return asked
    return replace(
        asked,
        kind=before.kind,
        topic=asked.topic or before.topic,
        email=asked.email or before.email,
        record_id=asked.record_id or before.record_id,
        order=asked.order or before.order,
        person=asked.person or before.person,
        figure=asked.figure or before.figure,
        by_reason=asked.by_reason or before.by_reason,
        view=before.view,
    )


def _subject(earlier: Sequence[str], otherwise: Tongue) -> AskedOfCopilot:
    """Return the user's latest question that names more than a period."""
    latest = next((one for one in earlier if not _names_only_a_period(one)), earlier[-1])
    return _asked(latest, otherwise)


def _names_only_a_period(text: str) -> bool:
    """Return True if a question names a period, and no subject."""
    words = plain_words(text)
    if len(words) > 2 * _SHORT_WORDS or period_named(words) is None:
        return False
    return all(word in STOP_WORDS or word in _words().goes_on for word in without_period(words))


def _asked(text: str, otherwise: Tongue) -> AskedOfCopilot:
    words = plain_words(text)
    email, record = _email(text), _record(text)
    # The number of days is not an order's number.
    order = None if isinstance(period_named(words), LastDays) else _order(text)
    person = _person(text)
    is_how = _has_any(words, _words().how)
    kind, nearest = _kind(
        words, has_email=email is not None, has_record=record is not None, is_how=is_how
    )
    if any(word in _WHY for word in words) and (email or order or person) and not is_how:
        kind = AskedKind.WHY
    if kind is AskedKind.SEARCH and order is not None and len(words) <= _SHORT_WORDS:
        kind = AskedKind.ORDER
    return AskedOfCopilot(
        kind=kind,
        tongue=tongue_of(text, otherwise),
        text=text,
        topic=_topic(text, kind),
        email=email,
        record_id=record,
        order=order,
        person=person,
        how=is_how,
        figure=next((one for one in AskedFigure if _has_all(words, _words().figures[one])), None),
        by_reason=_has_all(words, _words().by_reason),
        view=next(
            (view for view, cues in _words().views.items() if _has_all(words, cues)),
            InboxView.NEEDS,
        ),
        nearest=nearest,
    )


def _kind(
    words: Sequence[str], *, has_email: bool, has_record: bool, is_how: bool
) -> tuple[AskedKind, AskedKind | None]:
    """Return a question's kind, and the kind with the highest score, if any."""
    if _has_all(words, _words().out_of_reach):
        return AskedKind.PRIVATE, None
    if not is_how and _is_order_to_act(words):
        return AskedKind.ACT, None
    scores = {
        kind: sum(cue.weight for cue in cues if _has(words, cue.words))
        for kind, cues in _words().cues.items()
    }
    if has_email:
        scores[AskedKind.CUSTOMER] += 2.5
    if has_record:
        scores[AskedKind.WHY] += 2.0
    if is_how:
        scores[AskedKind.HELP] += 6.0
    best = max(scores, key=lambda kind: scores[kind])
    nearest = best if scores[best] > 0 else None
    return best if scores[best] >= _ENOUGH else AskedKind.SEARCH, nearest


def _is_order_to_act(words: Sequence[str]) -> bool:
    """Return True if the text requests an action. Such a text starts with a verb, or with an
    opening and a verb: `can you refund order 12`."""
    acts = _words().acts
    text = " ".join(words)
    opening = next((one for one in acts.openings if text.startswith(f"{one} ")), "")
    for word in text.removeprefix(opening).split():
        if word not in acts.fillers:
            return word.startswith(acts.verbs) and word not in acts.no_verbs
    return False


def _has(words: Sequence[str], cue: str) -> bool:
    """Return True if each part of the cue starts a word. A part that ends in `=` must equal the
    whole word. `|` separates alternatives."""
    return all(_begins(words, part) for part in cue.split())


def _begins(words: Sequence[str], part: str) -> bool:
    choices = part.split("|")
    return any(
        word == one[:-1] if one.endswith("=") else word.startswith(one)
        for word in words
        for one in choices
    )


def _has_any(words: Sequence[str], cues: Sequence[str]) -> bool:
    joined = f" {' '.join(words)} "
    return any(f" {cue} " in joined for cue in cues)


def _has_all(words: Sequence[str], cues: Sequence[str]) -> bool:
    return any(_has(words, cue) for cue in cues)


def _email(text: str) -> str | None:
    found = _EMAIL.search(text[:4_000])
    return found[0].rstrip(".") if found else None


def _record(text: str) -> str | None:
    found = _ULID.search(text[:4_000])
    return parse_ulid(found[0]) if found else None


def _order(text: str) -> str | None:
    found = _ORDER.search(_ULID.sub(" ", _EMAIL.sub(" ", text[:4_000])))
    return (found[1] or found[2]) if found else None


def _person(text: str) -> str | None:
    """Return the first name of a person that does not start the text, or None."""
    found = _PERSON.search(text[:4_000], 1)
    return found[0] if found else None


def _topic(text: str, kind: AskedKind) -> str:
    """Return the text in quotation marks. Without quotation marks, return the words that do not
    indicate the question's kind."""
    quoted = _QUOTED.search(text)
    if quoted is not None:
        return quoted[1]
    cues = tuple(
        one.rstrip("=")
        for cue in _words().cues.get(kind, ())
        for part in cue.words.split()
        for one in part.split("|")
    )
    return " ".join(word for word in content_words(text) if not (cues and word.startswith(cues)))
