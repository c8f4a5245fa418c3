"""Parse the customer's answer to "Shall we …? Please answer yes or no.".

An answer counts as a yes only if all its words are compatible with a yes. An unclear answer is
`other`, and the question is dropped.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from domain.agent.consent.answer_phrases import AnswerPhrase, answer_phrases, aside_start
from domain.agent.consent.answer_signature import is_device, signed_runs
from domain.agent.consent.answer_text import answer_text, without_question
from domain.agent.consent.answering_words import Does, answer_words
from domain.agent.consent.confirmation import Assent, Confirmation
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.money import Money
from domain.core.text import UnicodeForm, normalized

_READ_WORDS: Final = 80
_NODS: Final = frozenset("👍👌✅🆗💯🙆✔")
_HEAD_SHAKES: Final = frozenset("👎❌🚫🙅✖⛔")
_SIGNS: Final = "".join(_NODS) + "🙏😊🙂😀😃😄😁☺❤♥🎉👏🤝💪😍🥰🤗😘🏻🏼🏽🏾🏿♂♀\ufe0f\u200d"
_PLAIN: Final = re.compile(
    rf"(?:[\w\s.,!?;:()/€£$#№&*^°…–—{_SIGNS}-]|(?<=[^\W\d_])['’ʼ`´](?=[^\W\d_]))*"
)
"""Matches a text without symbols that could change the meaning of its words."""
_NAMED_ORDER: Final = frozenset({"order", "commande", "cmd", "cde"})
_UNFINISHED: Final = frozenset(
    {"and", "et", "for", "pour", "pr", "of", "de", "with", "on", "a", "to", "so"}
)
_SAYS_NOTHING: Final = frozenset({Does.AROUND, Does.APOLOGY, Does.EXCUSE, Does.NOTICE})
_TRAILS_OFF: Final = re.compile(r"(?:\.\.|…)\W*\Z")
_CURRENCIES: Final = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "gbp": "GBP",
    "pounds": "GBP", "pound": "GBP", "$": "USD", "usd": "USD", "dollars": "USD", "chf": "CHF",
}  # fmt: skip
_SUM: Final = re.compile(r"\d+(?:[.,]\d{1,2})?")


@dataclass(slots=True)
class _Answer:
    """A parsed answer. `does` lists the role of each word, in sequence. `another` contains other
    orders that the answer mentions. `plain_consent` is True if the customer names the action after
    the yes."""

    does: list[Does] = field(default_factory=list)
    kinds: set[ActionKind] = field(default_factory=set)
    another: list[str] = field(default_factory=list)
    asks: bool = False
    refuses_asked: bool = False
    plain_consent: bool = False

    def has(self, *does: Does) -> bool:
        return any(one in does for one in self.does)

    @property
    def first(self) -> Does | None:
        return next((one for one in self.does if one not in _SAYS_NOTHING), None)


def read_confirmation(text: str, numbers: tuple[str, ...], asked: PlannedAction) -> Confirmation:
    """Classify the customer's answer to the question of whether to execute `asked`. Never raises.

    `numbers` are the order numbers in the message. Quotations of the agent's question are ignored.
    """
    own = without_question(text, asked.order_number or "")
    answer = _read(own, numbers, asked)
    shown = _shown(own)
    if answer.asks or answer.kinds - {asked.kind}:
        return _confirmation(Assent.OTHER)
    if shown is not None and not answer.does:
        return _confirmation(shown if shown is Assent.NO or _plain(own) else Assent.OTHER)
    if answer.another or answer.has(Does.INSTEAD):
        return _correction(answer)
    if answer.has(Does.DENIAL):
        mixed = shown not in {None, Assent.NO}
        return _confirmation(Assent.OTHER if mixed else _denial(answer))
    mixed = shown not in {None, Assent.YES}
    return _confirmation(Assent.OTHER if mixed else _assent(own, answer))


def _confirmation(assent: Assent) -> Confirmation:
    return Confirmation(assent=assent)


def _correction(answer: _Answer) -> Confirmation:
    """Return a correction if the answer mentions exactly one other order, or says "the other one",
    and requests nothing else. Otherwise return OTHER."""
    if answer.has(Does.ELSE, Does.QUESTION, Does.ASIDE) or len(answer.another) > 1:
        return _confirmation(Assent.OTHER)
    if answer.has(Does.ASKED) and not answer.refuses_asked:
        return _confirmation(Assent.OTHER)
    number = answer.another[0] if answer.another else None
    return Confirmation(assent=Assent.CORRECTION, number=number)


def _assent(text: str, answer: _Answer) -> Assent:
    """Return YES if every word is compatible with a yes, else OTHER.

    A repeated request alone is not a yes, because the customer may have sent the message twice.
    """
    if answer.has(Does.CORRECTING, Does.ELSE) or not answer.has(Does.ASSENT):
        return Assent.OTHER
    if answer.has(Does.EXCUSE) and not answer.has(Does.APOLOGY, Does.ACTION):
        return Assent.OTHER
    if answer.has(Does.ASIDE) and not answer.plain_consent:
        return Assent.OTHER
    return Assent.YES if _plain(text) else Assent.OTHER


def _plain(text: str) -> bool:
    composed = normalized(text, UnicodeForm.NFC)
    return _PLAIN.fullmatch(composed) is not None and not _TRAILS_OFF.search(composed)


def _denial(answer: _Answer) -> Assent:
    """Return NO if the answer starts with a denial, and neither agrees nor makes a request.
    Otherwise return OTHER, as for "no, I would like to be refunded"."""
    asks_for = answer.has(Does.ASKING) and answer.has(Does.ACTION, Does.ELSE)
    first_is_no = answer.first is Does.DENIAL and not answer.has(Does.ASSENT)
    return Assent.NO if first_is_no and not asks_for else Assent.OTHER


def _shown(text: str) -> Assent | None:
    """Return the answer expressed by symbols, such as a thumbs-up. Return OTHER for contradictory
    symbols, and None if there are no symbols."""
    nods, shakes = (any(sign in text for sign in signs) for signs in (_NODS, _HEAD_SHAKES))
    if nods and shakes:
        return Assent.OTHER
    return Assent.YES if nods else Assent.NO if shakes else None


def _read(text: str, numbers: tuple[str, ...], asked: PlannedAction) -> _Answer:
    said = answer_text(text)
    devices = [is_device(run) for run in said.runs]
    runs = [run for run, skipped in zip(said.runs, devices, strict=True) if not skipped]
    skipped_asks = any(run.asks for run, skipped in zip(said.runs, devices, strict=True) if skipped)
    answer = _Answer(asks=said.asks or skipped_asks)
    if not said.plain or sum(len(run.words) for run in runs) > _READ_WORDS:
        answer.does.append(Does.ELSE)
    runs = runs[: len(runs) - signed_runs(text, said, runs)]
    known = {_same(number): number for number in numbers}
    left, said_yes = _READ_WORDS, False
    for run in runs:
        words = run.words[:left]
        left = max(left - len(run.words), 0)
        story = aside_start(words, asked)
        phrases = list(answer_phrases(words[:story], asked))
        before = len(answer.does)
        _take(answer, phrases, known, asked)
        said_yes = _consents(answer, answer.does[before:], said_yes=said_yes)
        if story is not None:
            answer.does.append(Does.ASIDE)
        answer.asks |= run.asks and not (story is None and _may_ask(phrases))
    return answer


def _consents(answer: _Answer, does: list[Does], *, said_yes: bool) -> bool:
    """Set `answer.plain_consent` if the run names the action after a yes. Return True if the yes
    also applies to the next run.

    `said_yes` is True if an earlier run contains a yes that still applies.
    """
    if Does.ELSE in does:
        return False
    if Does.ASSENT in does:
        behind, said_yes = does[does.index(Does.ASSENT) :], True
    else:
        behind = does
    answer.plain_consent |= Does.CONSENTING in does or (said_yes and Does.ACTION in behind)
    return said_yes


def _may_ask(phrases: list[AnswerPhrase]) -> bool:
    """Return True if a question only asks how long the action takes, or politely repeats the
    request."""
    is_polite = any(phrase.said in answer_words().polite_questions for phrase in phrases)
    does = [phrase.does for phrase in phrases]
    about_time = does[-1:] == [Does.QUESTION] or does[-1:] == [Does.NOTICE]
    return about_time or (is_polite and Does.ACTION in does)


def _take(
    answer: _Answer, phrases: list[AnswerPhrase], numbers: dict[str, str], asked: PlannedAction
) -> None:
    said_before, takes, ordered, acts = "", False, False, False
    for phrase in phrases:
        does = phrase.does
        if does is None and _same(phrase.said) == _same(asked.order_number or ""):
            answer.does.append(Does.ASKED)
            answer.refuses_asked |= said_before in {"not", "pas", "not the", "pas la"}
        elif does is None and _same(phrase.said) in numbers:
            answer.does.append(Does.ANOTHER)
            if numbers[_same(phrase.said)] not in answer.another:
                answer.another.append(numbers[_same(phrase.said)])
        elif does is None and _is_sum(phrase.said, asked.amount):
            answer.does.append(Does.AROUND)
        else:
            answer.does.append(does or Does.ELSE)
        if phrase.kind:
            answer.kinds.add(phrase.kind)
            acts = True
        parts = set(phrase.said.split()) if does is not Does.QUESTION else set()
        takes |= bool(parts & answer_words().taking)
        ordered |= bool(parts & _NAMED_ORDER)
        if phrase.said not in {"la", "le", "the", "order", "commande", "la commande", "the order"}:
            said_before = phrase.said
    asks_for = any(phrase.does in {Does.ASKING, Does.CONSENTING} for phrase in phrases)
    if acts and any(phrase.does is Does.CONSENTING for phrase in phrases):
        answer.does.append(Does.ASSENT)
    unfinished = bool(phrases) and phrases[-1].said in _UNFINISHED
    # "Yes let me know" agrees only to a notification, not to the action.
    unfinished |= Does.NOTICE in [phrase.does for phrase in phrases[1:]] and not acts
    # "Cancel the cancellation" does not express consent.
    twice = len({phrase.said for phrase in phrases if phrase.does is Does.ACTION}) > 1
    if (((takes and ordered) or asks_for) and not acts) or unfinished or twice:
        answer.does.append(Does.ELSE)


def _is_sum(said: str, amount: Money | None) -> bool:
    """Return True if a sum in the answer equals the amount in the question."""
    figures = _SUM.findall(said)
    currency = said.strip("0123456789., ").strip()
    if amount is None or len(figures) != 1:
        return False
    if currency and _CURRENCIES.get(currency) != amount.currency:
        return False
    return Decimal(figures[0].replace(",", ".")) == Decimal(amount.decimal())


def _same(number: str) -> str:
    return number.strip("# ").casefold()
