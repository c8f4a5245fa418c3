"""Detect claims in an answer: statements about the law, or about what the merchant did, will do,
owes or grants.

Matching numbers are not enough to back a claim. The plan must contain the action, or a source must
make the same claim. Denials, questions, conditions and rules ("refunds leave within 5 days") are
not claims.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.agent.grounding.assertion import is_question, sentences
from domain.agent.grounding.claim_phrasings import (
    ClaimKind,
    ClaimMatter,
    ClaimPhrasings,
    claim_phrasings,
)
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.core.effort import spend
from domain.core.text import fold

_SHOWN: Final = 80
_TOKEN: Final = re.compile(r"[a-z]+|\d+(?:[.,]\d+)*|[%€$£]|[,;:()«»“”\"–—]| - ")
_LINES: Final = re.compile(r"(?<!\n)\n(?!\n)")
_SAYS_YOU: Final = re.compile(r"\b(?:you|your|vous|votre|vos)\b")
_JOINS: Final = re.compile(r" (?:and|but|et|mais) ")
# Maximum number of words between "once" and the claim that it makes conditional.
_NEAR: Final = 3
# Number of characters searched before a claim. The limit bounds the time spent on a long sentence.
_AROUND: Final = 200
_SUBJECTS: Final = frozenset(
    ("we", "i", "you", "it", "they", "he", "she", "nous", "je", "j", "vous", "il", "elle", "on")
)
# Actions in the plan that back a claim, by the claim's subject. For these subjects, only the plan
# can back a claim that the action is finished.
_BY_PLAN: Final = {
    ClaimMatter.REFUND: frozenset({ActionKind.REFUND, ActionKind.CANCEL_ORDER}),
    ClaimMatter.CANCEL_ORDER: frozenset({ActionKind.CANCEL_ORDER}),
    ClaimMatter.DONE: ON_ORDERS,
}
# A note in the plan backs a claim that the request is handed over, because the note passes the
# request to the staff.
_ALSO_BY_PLAN: Final = {ClaimMatter.HANDOVER: frozenset({ActionKind.NOTE})}
# Promises about goods in transit. They do not promise money or an action by the merchant, so a
# source that states the rule suffices.
_SOFT: Final = frozenset({ClaimMatter.DELIVERY, ClaimMatter.ENQUIRY})


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim in an answer. `written` contains its folded words. A `conditional` claim depends on a
    condition, such as the return of the goods."""

    kind: ClaimKind
    matter: ClaimMatter | None
    conditional: bool
    written: str

    @property
    def says_cancelled(self) -> bool:
        return (self.kind, self.matter) == (ClaimKind.FINISHED, ClaimMatter.CANCEL_ORDER)

    @property
    def says_refunded(self) -> bool:
        return (self.kind, self.matter) == (ClaimKind.FINISHED, ClaimMatter.REFUND)

    def as_in(self, source: "StatedClaim") -> bool:
        """Return True if the claim `source`, found in one of the answer's sources, backs this
        claim.

        A conditional claim does not back an unconditional promise.
        """
        same = (self.kind, self.matter) == (source.kind, source.matter)
        loose = self.kind is ClaimKind.PROMISE and source.conditional and not self.conditional
        return same and not loose


_Match = tuple[ClaimKind, ClaimMatter | None, re.Match[str]]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The words of a sentence, in one string and separated by single spaces. `breaks` are the
    positions of commas and similar marks in that string."""

    words: str
    breaks: tuple[int, ...]

    def broken(self, start: int, end: int) -> bool:
        at = bisect_left(self.breaks, start)
        return at < len(self.breaks) and self.breaks[at] <= end

    def clause_after(self, end: int) -> str:
        """Return the text after a position, up to the next comma or "and"."""
        at = bisect_left(self.breaks, end)
        stop = self.breaks[at] if at < len(self.breaks) else len(self.words)
        return _JOINS.split(self.words[end:stop] + " ", maxsplit=1)[0]

    def clauses(self) -> Iterator[tuple[int, int]]:
        """Return an iterator over the start and end of each clause."""
        inner = (place for place in self.breaks if 0 < place < len(self.words))
        starts = (0, *(place + 1 for place in dict.fromkeys(inner)))
        return zip(starts, (*(start - 1 for start in starts[1:]), len(self.words)), strict=True)


def unbacked_claims(
    response: str, plan_kinds: frozenset[ActionKind], sources: Sequence[str]
) -> tuple[StatedClaim, ...]:
    """Return the claims in an answer that neither the plan nor a source backs.

    - A finished refund or cancellation must be in the plan.
    - Any other finished action must be stated by a source.
    - A promised action must be in the plan or promised by a source. For a conditional promise, a
      source's rule about the same subject suffices.

    Reads the first `READ_CHARS` characters of each text.
    """
    found = claims(response)
    if not found:
        return ()

    @cache
    def said() -> frozenset[StatedClaim]:
        return frozenset(claim for text in sources for claim in claims(text))

    return tuple(one for one in found if not _backed(one, plan_kinds, sources, said))


def done_by(plan_kinds: frozenset[ActionKind]) -> frozenset[ClaimMatter]:
    """Return what the actions of a plan cause."""
    return frozenset(matter for matter, kinds in _BY_PLAN.items() if kinds & plan_kinds)


def claims(text: str) -> tuple[StatedClaim, ...]:
    """Return the distinct claims of a text. Never raises."""
    found: dict[StatedClaim, None] = {}
    # A line may be a whole sentence or a part of one, so the text is searched both with and without
    # line breaks.
    for written in dict.fromkeys((*sentences(text), *sentences(_LINES.sub(" ", text)))):
        sentence = _read(written)
        if is_question(written):
            sentence = _before_question(sentence)
        found.update(dict.fromkeys(_claims_of(sentence)))
    return tuple(found)


def _read(written: str) -> _Sentence:
    spend(len(written))
    words: list[str] = []
    breaks: list[int] = []
    length = -1
    for mark in _TOKEN.findall(fold(written).replace("ß", "ss")):
        if mark[0].isalnum() or mark in "%€$£":
            words.append(mark)
            length += len(mark) + 1
        else:
            breaks.append(max(length, 0))
    return _Sentence(" ".join(words), tuple(breaks))


def _before_question(sentence: _Sentence) -> _Sentence:
    """Return the part of a sentence that precedes its question. For "You have been refunded, is
    there anything else?", return "You have been refunded"."""
    *stated, (asked, _) = sentence.clauses()
    words = sentence.words
    if any(claim_phrasings().asks.match(words, start, end) for start, end in stated):
        return _Sentence("", ())
    return _Sentence(words[: max(asked - 1, 0)], sentence.breaks)


def _claims_of(sentence: _Sentence) -> Iterator[StatedClaim]:
    known = claim_phrasings()
    spend(len(sentence.words))
    bound = bool(known.condition.search(known.courteous.sub(" ", sentence.words)))
    found: set[ClaimMatter | None] = set()
    for reading in (_matches, _statements, _remarks):
        # If one phrasing has already found a claim about a subject, a weaker match for the same
        # subject is not reported again.
        matches = [one for one in reading(sentence, known) if one[1] not in found]
        found.update(matter for _, matter, _ in matches)
        for kind, matter, match in matches:
            yield StatedClaim(kind, matter, bound, match[0][:_SHOWN])


def _statements(sentence: _Sentence, known: ClaimPhrasings) -> Iterator[_Match]:
    """Yield claims in the present or future, unless they describe a rule.

    A rule addressed to the customer counts as a promise.
    """
    for kind, matter, pattern in known.stated:
        for match in pattern.finditer(sentence.words):
            if _is_covered(sentence, match, known):
                continue
            start = match.start()
            before = sentence.words[max(start - _AROUND, 0) : start]
            after = sentence.clause_after(match.end())
            if not (known.rule.search(before) or known.rule.search(after)):
                yield kind, matter, match
            elif _SAYS_YOU.search(match[0]):
                yield ClaimKind.PROMISE, matter, match


def _remarks(sentence: _Sentence, known: ClaimPhrasings) -> Iterator[_Match]:
    """Yield clauses about the customer's own money or order. They count as promises, regardless of
    wording."""
    for start, end in sentence.clauses():
        for kind, matter, pattern in known.spoken:
            match = pattern.search(sentence.words, start, end)
            marks = (known.harmless, known.rule, known.covers)
            if (
                match is not None
                and known.personal.search(sentence.words, start, end)
                and not any(mark.search(sentence.words, start, end) for mark in marks)
            ):
                yield kind, matter, match


def _matches(sentence: _Sentence, known: ClaimPhrasings) -> Iterator[_Match]:
    """Yield the first match of each phrasing, except matches that the context negates or makes
    conditional."""
    for kind, matter, pattern in known.anywhere:
        for match in pattern.finditer(sentence.words):
            if kind is ClaimKind.LEGAL or not (
                _is_covered(sentence, match, known) or _is_denied(sentence, match, kind, known)
            ):
                yield kind, matter, match
                break
    for kind, matter, pattern in known.opening:
        for start, end in sentence.clauses():
            words = sentence.words
            if opening := pattern.match(words, start, end) or pattern.match(words, start):
                yield kind, matter, opening


def _is_covered(sentence: _Sentence, match: re.Match[str], known: ClaimPhrasings) -> bool:
    """Return True if a phrase such as "once", "if", "you say that" or "we cannot see that" directly
    precedes a claim."""
    # In "You say that your order …", the claim may start with "that", the last word of the phrase
    # before it.
    end = match.start() + (len("that") if match[0].startswith("that ") else 0)
    for cover in known.covers.finditer(sentence.words, max(end - _AROUND, 0), end):
        between = sentence.words[cover.end() : match.start()].split()
        if len(between) <= _NEAR and not _SUBJECTS.intersection(between):
            return not sentence.broken(cover.end(), match.start() - 1)
    return False


def _is_denied(
    sentence: _Sentence, match: re.Match[str], kind: ClaimKind, known: ClaimPhrasings
) -> bool:
    """Return True if the words directly before a claim of liability or discount deny the claim, as
    in "not our fault"."""
    if kind not in {ClaimKind.LIABILITY, ClaimKind.DISCOUNT}:
        return False
    before = sentence.words[: match.start()].split()[-_NEAR:]
    return bool(known.denial.search(" ".join(before)))


def _backed(
    claim: StatedClaim,
    plan_kinds: frozenset[ActionKind],
    sources: Sequence[str],
    said: Callable[[], frozenset[StatedClaim]],
) -> bool:
    needed = _BY_PLAN.get(claim.matter) if claim.matter else None
    also = _ALSO_BY_PLAN.get(claim.matter) if claim.matter else None
    if plan_kinds & ((needed or frozenset()) | (also or frozenset())):
        return True
    if needed and claim.kind is ClaimKind.FINISHED:
        return False
    if any(claim.as_in(one) for one in said()):
        return True
    by_rule = claim.kind is ClaimKind.PROMISE and (claim.conditional or claim.matter in _SOFT)
    return by_rule and any(_speaks_of(claim.matter, source) for source in sources)


def _speaks_of(matter: ClaimMatter | None, source: str) -> bool:
    """Return True if the source contains a sentence that states a rule about `matter` and is not
    negated."""
    known = claim_phrasings()
    word = known.told.get(matter) if matter else None
    if word is None:
        return False
    read = (_read(written).words for written in sentences(source) if not is_question(written))
    return any(word.search(words) and not known.denial.search(words) for words in read)
