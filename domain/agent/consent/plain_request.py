"""The short messages that are acted on at once: those that match as a whole one form of a closed
list, `plain_forms.yaml`.

Nothing else moves money on the customer's first word. What only resembles a form is asked back.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.agent.consent.answer_signature import is_device, signed_runs
from domain.agent.consent.answer_text import AnswerWord, answer_text
from domain.agent.plan import ActionKind
from domain.core.lexicon import BrokenLexicon, LexiconFile, lexicon

_MOST_CHARS: Final = 300
_MARKS: Final = re.compile(
    r"(?:[\w\s.,!?#№º°🙏🙂😊-]|(?<=[^\W\d_])['’ʼ`´](?=[^\W\d_]))*", re.IGNORECASE
)
_BROKEN_OFF: Final = re.compile(r"\.\.|…|(?<!\w)-|-(?!\w)|[.,!?](?=[^\W\d_])")
_ORDER: Final = r"(?:[a-z]{1,3}-?)?\d{3,}"
_LIKELY_ORDER: Final = r"(?:[a-z]{1,3}-?\d{3,}|\d{4,})"
# "Annulé la 2001" says that it is done.
_DONE: Final = re.compile(r"annulée?s?\b|(?<!être )(?<!ment )rembours(?:é|ée|és|ées)\b")
_CURRENCIES: Final = frozenset({"eur", "usd", "gbp", "chf", "cad", "no", "not", "ex", "rs"})
_PIECE: Final = re.compile(r"\{\w+\}|[\[\]()|]|[^\s\[\]()|{}]+")
_MARK_OF: Final = {"[": "(?:", "]": ")?", "(": "(?:", ")": ")", "|": "|"}


class _File(LexiconFile):
    """`pleas`: the closings that may stand before a question mark."""

    parts: dict[str, str]
    forms: dict[ActionKind, tuple[str, ...]]
    questions: dict[ActionKind, tuple[str, ...]]
    greetings: frozenset[str]
    closings: frozenset[str]
    pleas: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """`number`: as the message spells the order's, folded; None for "my order" or "it"."""

    kind: ActionKind
    number: str | None


@dataclass(frozen=True, slots=True)
class _Forms:
    statements: Mapping[ActionKind, re.Pattern[str]]
    questions: Mapping[ActionKind, re.Pattern[str]]
    greetings: frozenset[str]
    closings: frozenset[str]
    pleas: frozenset[str]


def plain_request(text: str) -> PlainRequest | None:
    """Return the request that is the whole of a message, or None. Never raises."""
    if len(text) > _MOST_CHARS or not _MARKS.fullmatch(text) or _BROKEN_OFF.search(text):
        return None
    if _DONE.search(unicodedata.normalize("NFC", text).casefold()):
        return None
    said = answer_text(text)
    if not said.plain or said.asks:
        return None
    runs = [run for run in said.runs if not is_device(run)]
    if any(run.asks for run in said.runs if run not in runs):
        return None
    runs = runs[: len(runs) - signed_runs(text, said, runs)]
    forms = plain_forms()
    while runs and not runs[0].asks and _are(runs[0].words, forms.greetings):
        runs = runs[1:]
    asks = False
    while len(runs) > 1 and _are(runs[-1].words, forms.pleas if runs[-1].asks else forms.closings):
        asks |= runs[-1].asks
        runs = runs[:-1]
    if len(runs) != 1 or (asks and runs[0].asks):
        return None
    return _matched(runs[0].words, asks=asks or runs[0].asks)


def _matched(words: tuple[AnswerWord, ...], *, asks: bool) -> PlainRequest | None:
    """The form between a greeting and a closing in the same run."""
    forms = plain_forms()
    for start in range(len(words)):
        if not _are(words[:start], forms.greetings):
            return None
        for end in range(len(words), start, -1):
            if not _are(words[end:], forms.pleas if asks else forms.closings):
                break
            if found := _form(words[start:end], asks=asks):
                return found
    return None


def _form(words: tuple[AnswerWord, ...], *, asks: bool) -> PlainRequest | None:
    if any(word.shape not in {"word", "number"} for word in words):
        return None
    said = "".join(f"{word.folded} " for word in words)
    numbers = [word.folded for word in words if word.shape == "number"]
    if any(re.split(r"[\d-]", number)[0] in _CURRENCIES for number in numbers):
        return None
    forms = plain_forms()
    listed = [forms.questions] if asks else [forms.statements, forms.questions]
    kinds = [kind for one in listed for kind, form in one.items() if form.fullmatch(said)]
    return PlainRequest(kinds[0], next(iter(numbers), None)) if kinds else None


def _are(words: tuple[AnswerWord, ...], listed: frozenset[str]) -> bool:
    """Whether the words are phrases of a list, one behind the other."""
    folded = [word.folded for word in words]
    at = 0
    while at < len(folded):
        ends = range(len(folded), at, -1)
        end = next((end for end in ends if " ".join(folded[at:end]) in listed), None)
        if end is None:
            return False
        at = end
    return True


@cache
def plain_forms() -> _Forms:
    """Return the forms of `plain_forms.yaml`. Raises BrokenLexicon."""
    file = lexicon(__file__.replace("plain_request", "plain_forms"), _File)
    return _Forms(
        statements={kind: _any_of(forms, file.parts) for kind, forms in file.forms.items()},
        questions={kind: _any_of(forms, file.parts) for kind, forms in file.questions.items()},
        greetings=file.greetings,
        closings=file.closings | file.pleas,
        pleas=file.pleas,
    )


def _any_of(forms: Iterable[str], parts: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_source(form, parts)})" for form in forms))


def _source(form: str, parts: Mapping[str, str]) -> str:
    """A form as an expression over words that each end in a space."""
    source = ""
    for piece in _PIECE.findall(form):
        if piece.startswith("{"):
            if piece[1:-1] not in parts:
                raise BrokenLexicon(f"plain_forms.yaml: no such part: {piece}")
            source += f"(?:{_source(parts[piece[1:-1]], parts)})"
        elif piece in _MARK_OF:
            source += _MARK_OF[piece]
        elif piece in {"#", "##"}:
            source += f"(?:{_ORDER if piece == '#' else _LIKELY_ORDER}) "
        else:
            source += re.escape(piece) + " "
    return source
