"""Detect the order action that a message requests, using a grammar of requests.

A request is a clause in the customer's own words that matches the grammar. Other clauses can only
weaken it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.speech.clause import (
    SENTENCE_CLAUSES,
    Clause,
    Constituent,
    SpokenSentence,
    parts_of,
    sentences,
)
from domain.agent.speech.clause_request import ClauseRequest, request_of_clause
from domain.agent.speech.language import has_grammar
from domain.agent.speech.request import SpokenRequest, Standing, Veto
from domain.agent.speech.surroundings import around
from domain.agent.speech.utterance import Utterance, utterance
from domain.agent.speech.vocabulary import OPPOSING, Meaning, SpeechRole, vocabulary

READ_CLAUSES: Final = 400
# A message with at least this many requests is not treated as a plain request.
READ_REQUESTS: Final = 20
_IT_IS: Final = frozenset({"ce est", "cest", "is", "it is", "its", "c"})
_SURENESS: Final = (Standing.NONE, Standing.LIKELY, Standing.PLAIN)
_GOES_ON: Final = frozenset(
    {SpeechRole.WISH, SpeechRole.I_WISH, SpeechRole.POLITE, SpeechRole.MAY, SpeechRole.SOFT_WISH}
)
# Vetoes that do not weaken a plain request if they come from another clause.
_HARMLESS: Final = frozenset({Veto.RULES, Veto.QUESTION})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request at clause `of` of sentence `at`. `vetoes` reject the request, and `doubts` make it
    uncertain. `numbers` are its order numbers."""

    at: int
    of: int
    wish: ClauseRequest
    standing: Standing
    vetoes: frozenset[Veto]
    doubts: frozenset[Veto]
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Remark:
    """A clause that mentions an action, withdraws a request or addresses the agent with
    instructions, but requests no action."""

    at: int
    of: int
    clause: Clause
    vetoes: frozenset[Veto]
    numbers: frozenset[str]


def spoken_request(text: str) -> SpokenRequest:
    """Return the request in a customer's own words, in French or English. Never raises."""
    said = utterance(text)
    spoken, whole = _within_bounds(sentences(said))
    asked = _asked(spoken)
    remarks = _remarks(spoken, {(one.at, one.of) for one in asked})
    quoted = _kinds_quoted(said)
    kinds = (
        {one.wish.kind for one in asked if one.standing is not Standing.NONE}
        or {one.wish.kind for one in asked}
        or _topics(remarks)
        or quoted
    )
    if not kinds:
        return SpokenRequest()
    kind = ActionKind.CANCEL_ORDER if ActionKind.CANCEL_ORDER in kinds else ActionKind.REFUND
    vetoes = [veto for one in asked for veto in sorted(one.vetoes | one.doubts)]
    vetoes += [veto for one in remarks for veto in sorted(one.vetoes)]
    if quoted:
        vetoes.append(Veto.QUOTED)
    standing = _standing(asked, remarks)
    whole = whole and len(asked) < READ_REQUESTS
    if standing is Standing.PLAIN and (quoted or not whole or not has_grammar(text)):
        standing = Standing.LIKELY
    best = max(asked, key=_worth_quoting, default=None)
    return SpokenRequest(
        kind=kind,
        standing=standing,
        quote=_words(text, spoken, best) if best and standing is not Standing.NONE else "",
        vetoes=tuple(dict.fromkeys(vetoes)),
    )


def veto_of(quote: str, text: str) -> Veto | None:
    """Return the grammar's veto against a request found by a model, or None. `quote` is the part of
    `text` that the model quotes.

    Vetoes come from the quoted clauses, a negated action, instructions to the agent, or a later
    withdrawal.
    """
    start = text.find(quote) if quote.strip() else -1
    if start < 0:
        return Veto.QUOTED
    end = start + len(quote)
    said = utterance(text)
    if any(word.start < end and start < word.end for word in said.quoted):
        return Veto.QUOTED
    spoken, whole = _within_bounds(sentences(said))
    if not whole:
        return Veto.HYPOTHETICAL
    asked = _asked(spoken)
    if len(asked) == READ_REQUESTS:
        return Veto.HYPOTHETICAL
    remarks = _remarks(spoken, {(one.at, one.of) for one in asked})
    touched = {
        (at, of)
        for at, sentence in enumerate(spoken)
        for of, clause in enumerate(sentence.clauses)
        if clause.parts[0].start < end and start < clause.parts[-1].end
    }
    said_against: list[Veto] = []
    for one in asked:
        if (one.at, one.of) in touched:
            said_against += sorted(one.vetoes | one.doubts)
    for at, of in sorted(touched - {(one.at, one.of) for one in asked}):
        said_against += sorted(_against(spoken[at], of))
    last = max(touched, default=(0, 0))
    said_against += [
        veto
        for one in remarks
        for veto in sorted(one.vetoes)
        if veto in {Veto.TO_THE_AGENT, Veto.NEGATED}
        or (veto is Veto.WITHDRAWN and (one.at, one.of) >= last)
    ]
    return said_against[0] if said_against else None


def _within_bounds(spoken: Iterable[SpokenSentence]) -> tuple[list[SpokenSentence], bool]:
    read: list[SpokenSentence] = []
    clauses = 0
    for sentence in spoken:
        clauses += len(sentence.clauses)
        if clauses > READ_CLAUSES or len(sentence.clauses) > SENTENCE_CLAUSES:
            return read, False
        read.append(sentence)
    return read, True


def _asked(spoken: list[SpokenSentence]) -> list[_Asked]:
    found = []
    for at, sentence in enumerate(spoken):
        for of, clause in enumerate(sentence.clauses):
            wish = request_of_clause(clause) or (
                of > 0 and _carried_on(sentence.clauses[of - 1], clause)
            )
            if not wish:
                continue
            weight = around(spoken, at, of, wish)
            standing = wish.standing
            if weight.vetoes:
                standing = Standing.NONE
            elif weight.doubtful and standing is Standing.PLAIN:
                standing = Standing.LIKELY
            vetoes = wish.vetoes | weight.vetoes
            doubts, numbers = frozenset(weight.doubts), _numbers(sentence, of, wish.own)
            found.append(_Asked(at, of, wish, standing, vetoes, doubts, numbers))
            if len(found) == READ_REQUESTS:
                return found
    return found


def _carried_on(before: Clause, clause: Clause) -> ClauseRequest | None:
    """Return the request of a clause that continues the previous clause: "I would like to send it
    back, and be refunded". Return None if the clause does not continue it with a request."""
    if set(before.roles) & set(OPPOSING):
        return None
    goes_on = clause.joint in {"and", "or"} and set(before.roles) & _GOES_ON
    announced = clause.joint in {"comma", "colon"} and before.roles.endswith(SpeechRole.I_WISH)
    if not goes_on and not announced:
        return None
    parts = clause.parts[1:] if announced and clause.parts[0].said in _IT_IS else clause.parts
    opening = Constituent(
        "", Meaning(SpeechRole.SOFT_WISH), clause.parts[0].start, clause.parts[0].start
    )
    return request_of_clause(Clause((opening, *parts), clause.joint))


def _remarks(spoken: list[SpokenSentence], asked: set[tuple[int, int]]) -> list[_Remark]:
    found = []
    for at, sentence in enumerate(spoken):
        for of, clause in enumerate(sentence.clauses):
            if (at, of) in asked:
                continue
            roles = set(clause.roles)
            if _denied_withdrawal(clause):
                continue
            if clause.names_action or roles & {SpeechRole.WITHDRAWN, SpeechRole.AGENT}:
                against = frozenset(_against(sentence, of))
                found.append(_Remark(at, of, clause, against, _numbers(sentence, of, clause)))
    return found


def _numbers(sentence: SpokenSentence, of: int, clause: Clause) -> frozenset[str]:
    """Return the order numbers in a clause. If the clause contains no number, return the numbers in
    the nearest earlier clause of the sentence that contains a number."""
    named = (before.numbers for before in (clause, *reversed(sentence.clauses[:of])))
    return next((numbers for numbers in named if numbers), frozenset())


def _denied_withdrawal(clause: Clause) -> bool:
    """Return True if a clause negates a withdrawal, as in "Je les garde pas"."""
    return not clause.names_action and "YN" in clause.roles


def _against(sentence: SpokenSentence, of: int) -> set[Veto]:
    clause = sentence.clauses[of]
    found = {OPPOSING[role] for role in clause.roles if role in OPPOSING}
    if any(SpeechRole.CONDITIONAL in other.roles for other in sentence.clauses):
        found.add(Veto.CONDITIONAL)
    if clause.names_action and SpeechRole.SOFT_EXISTING in clause.roles:
        found.add(Veto.EXISTING)
    if clause.names_action and sentence.asks:
        found.add(Veto.QUESTION)
    return found


def _standing(asked: list[_Asked], remarks: list[_Remark]) -> Standing:
    standing_ones = [one for one in asked if one.standing is not Standing.NONE]
    said = {veto for one in asked for veto in one.vetoes}
    said |= {veto for one in remarks for veto in one.vetoes}
    if not standing_ones or Veto.TO_THE_AGENT in said or _taken_back(standing_ones, remarks):
        return Standing.NONE
    doubtful = any(one.vetoes - _HARMLESS - {Veto.WITHDRAWN} for one in remarks)
    if doubtful or _two_wishes(standing_ones) or len(standing_ones) < len(asked):
        return Standing.LIKELY
    return max((one.standing for one in standing_ones), key=_SURENESS.index)


def _taken_back(asked: list[_Asked], remarks: list[_Remark]) -> bool:
    """Return True if another clause withdraws the request after it is made, or forbids the action
    anywhere in the message."""
    last = max((one.at, one.of) for one in asked)
    numbers = frozenset(number for one in asked for number in one.numbers)
    for remark in remarks:
        others = bool(remark.numbers) and not remark.numbers & numbers
        others = others and bool(numbers)
        withdraws = Veto.WITHDRAWN in remark.vetoes and (remark.at, remark.of) > last
        forbids = Veto.NEGATED in remark.vetoes and Veto.EXISTING not in remark.vetoes
        if (withdraws and not others) or (forbids and not others):
            return True
    return False


def _two_wishes(asked: list[_Asked]) -> bool:
    """Return True if the message requests two different actions for two orders, as in "refund 2040
    and cancel 2041"."""
    kinds = {one.wish.kind for one in asked}
    numbers = {one.wish.own.numbers for one in asked if one.wish.own.numbers}
    return len(kinds) > 1 and len(numbers) > 1


def _topics(remarks: list[_Remark]) -> set[ActionKind]:
    return {kind for one in remarks for kind in one.clause.kinds}


def _kinds_quoted(said: Utterance) -> set[ActionKind]:
    return {
        part.meaning.kind
        for language in ("fr", "en")
        for part in parts_of(tuple(said.quoted), vocabulary(language))
        if part.meaning.kind and part.meaning.role is not SpeechRole.WEAK
    }


def _worth_quoting(asked: _Asked) -> tuple[bool, bool, int]:
    """Return the sort key that selects the request to quote.

    A request that mentions an order ranks higher. In "bin 707 please - cancel that one", the second
    clause is quoted, because "that one" refers to the order.
    """
    stands = asked.standing is not Standing.NONE
    return stands, bool(asked.numbers), _SURENESS.index(asked.standing)


def _words(text: str, spoken: list[SpokenSentence], asked: _Asked) -> str:
    clauses = spoken[asked.at].clauses
    start = asked.of
    while asked.numbers and not asked.numbers & clauses[start].numbers:
        start -= 1
    return text[clauses[start].parts[0].start : clauses[asked.of].parts[-1].end]
