"""Evaluate the context that may weaken a request: its sentence and the neighbouring sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from domain.agent.speech.clause import Clause, SpokenSentence
from domain.agent.speech.clause_request import NOT_YET, ClauseRequest
from domain.agent.speech.request import Veto
from domain.agent.speech.vocabulary import OPPOSING, SpeechRole

_NOTHING_ELSE: Final = frozenset("Nfpyxu")
_CONFIRMING: Final = frozenset({"confirm", "confirmation", "confirmez", "confirmer"})
# The grammatical roles in "It is order 2040 that I want refunded".
_CLEFT: Final = frozenset("fp_adoOzLPcqtrwWi")
# The grammatical roles in "For my client,".
_ON_BEHALF: Final = frozenset("rtXfp")
_LEAVES_OPEN: Final = frozenset({"dont", "do not", "not", "ne", "never", "surtout pas", "jamais"})
_LAUGHS: Final = frozenset(
    {"haha", "hahaha", "ha ha", "lol", "lmao", "rofl", "mdr", "ptdr", "hihi", "xd", "hehe"}
)
# Words of praise for a refund already made: "How quick, the refund of 2040".
_PRAISE: Final = frozenset(
    {"rapide", "rapides", "bravo", "efficace", "chapeau", "impeccable", "nickel", "genial"}
    | {"quick", "quicker", "fast", "speedy", "efficient", "impressed", "impressive", "wow"}
    | {"well done", "top", "formidable", "excellent", "amazing", "awesome", "smooth"}
)
_NAMED: Final = frozenset("OzPm$qi")
_LIMITING: Final = frozenset(
    {SpeechRole.CONDITIONAL, SpeechRole.PART, SpeechRole.NEGATION, SpeechRole.INSTEAD}
)
_WAITS: Final = frozenset("SYNfp")
_LET_IT_BE: Final = frozenset({"laissez", "laisse", "leave", "attendez", "wait", "non", "no"})
_ONLY_ONE: Final = frozenset({"only", "just", "juste", "simplement", "seulement", "uniquement"})
_POINTS: Final = frozenset("fpyxadotOzPLqNIr")


@dataclass(slots=True)
class Weight:
    """Evidence in a clause's context that the clause is not a request. `vetoes` reject the request.
    `doubts` make it at most `likely`."""

    vetoes: set[Veto] = field(default_factory=set)
    doubts: set[Veto] = field(default_factory=set)
    said: list[Veto] = field(default_factory=list)
    doubtful: bool = False

    def doubt(self, veto: Veto | None = None) -> None:
        self.doubtful = True
        if veto:
            self.said.append(veto)
            self.doubts.add(veto)

    def take(self, veto: Veto, *, ends: bool) -> None:
        if ends:
            self.vetoes.add(veto)
        else:
            self.doubt(veto)


def around(spoken: Sequence[SpokenSentence], at: int, of: int, wish: ClauseRequest) -> Weight:
    """Return the reasons against a request from the other clauses of its sentence and the
    neighbouring sentences.

    `at` and `of` are the indexes of the request's sentence and clause.
    """
    weight = Weight()
    sentence = spoken[at]
    for place, clause in enumerate(sentence.clauses):
        if place != of:
            _beside(clause, wish, weight, before=place < of)
    if wish.behind:
        _beside(wish.behind, wish, weight, before=False)
    _in_its_sentence(sentence, of, wish, weight)
    if wish.of_a_thing and not wish.own.numbers and _laughter(spoken, at):
        weight.vetoes.add(Veto.HYPOTHETICAL)
    if at > 0:
        _sentence_before(spoken[at - 1], weight, first=of == 0)
        if Veto.PART in weight.doubts and _ONLY_ONE & {part.said for part in wish.own.parts}:
            weight.vetoes.add(Veto.PART)
    if at + 1 < len(spoken):
        if wish.polite and not _NAMED & set(wish.own.roles) and _rules(spoken[at + 1]):
            weight.doubt(Veto.RULES)
        _sentence_behind(spoken[at + 1], weight, asks=sentence.asks)
    if weight.said.count(Veto.PART) > 1:
        weight.vetoes.add(Veto.PART)
    return weight


def _in_its_sentence(
    sentence: SpokenSentence, of: int, wish: ClauseRequest, weight: Weight
) -> None:
    clauses = sentence.clauses
    if of > 0:
        _led_by(clauses[of - 1], clauses[of], weight)
    if "or" in {clauses[of].joint, *(clause.joint for clause in clauses[of + 1 : of + 2])}:
        weight.doubt(Veto.HYPOTHETICAL)
    if sentence.asks and not wish.polite:
        weight.doubt(Veto.QUESTION)
    asks_rules = sentence.asks and any(SpeechRole.RULES in clause.roles for clause in clauses)
    if asks_rules and not wish.polite:
        weight.vetoes.add(Veto.RULES)
    elif SpeechRole.RULES in clauses[0].roles[:1] and of > 0:
        weight.doubt(Veto.RULES)


def _beside(clause: Clause, wish: ClauseRequest, weight: Weight, *, before: bool) -> None:
    """Record the reasons against the request that come from another clause of its sentence.
    `before` means that this clause precedes the request."""
    roles = set(clause.roles)
    if SpeechRole.CONDITIONAL in roles:
        weight.vetoes.add(Veto.CONDITIONAL)
    praised = _PRAISE & {part.said for part in clause.parts}
    if wish.bare and (praised or SpeechRole.SOFT_EXISTING in roles):
        weight.vetoes.add(Veto.EXISTING)
    if roles & {SpeechRole.DOUBT, SpeechRole.HYPOTHETICAL}:
        weight.doubt(Veto.HYPOTHETICAL)
    if roles & {SpeechRole.NEGATION, SpeechRole.INSTEAD}:
        _negation(clause, wish, weight)
    elif SpeechRole.EXCHANGE in roles:
        limits = not before and clause.roles.lstrip("fpadrtWe")[:1] == SpeechRole.EXCHANGE
        weight.take(Veto.EXCHANGE, ends=limits)
    if SpeechRole.PART in roles:
        stands_alone = clause.roles.lstrip("fpadrtI")[:1] == SpeechRole.PART
        weight.take(Veto.PART, ends=not before and (stands_alone or wish.of_a_thing))
    if SpeechRole.SUM in roles or (SpeechRole.COUNT in roles and not before):
        weight.doubt(Veto.PART)
    if roles & {SpeechRole.REPORT, SpeechRole.PERSON}:
        weight.take(Veto.OTHER_PERSON, ends=SpeechRole.PERSON in roles and roles <= _ON_BEHALF)
    if _speaks_of_existing(clause, before=before):
        weight.doubt(Veto.EXISTING)
    _taken_back(clause, wish, weight, before=before)


def _taken_back(clause: Clause, wish: ClauseRequest, weight: Weight, *, before: bool) -> None:
    roles = set(clause.roles)
    if not before and SpeechRole.NO_WORD in roles and roles <= _NOTHING_ELSE:
        weight.vetoes.add(Veto.WITHDRAWN)
    if not before and {part.said for part in clause.parts} <= _LET_IT_BE:
        weight.vetoes.add(Veto.WITHDRAWN)
    if SpeechRole.WITHDRAWN in roles and "YN" not in clause.roles and not _of_another(clause, wish):
        weight.take(Veto.WITHDRAWN, ends=not before)


def _speaks_of_existing(clause: Clause, *, before: bool) -> bool:
    """Return True if a clause is about an action already taken. A word such as "confirm" alone does
    not indicate this, because it asks for confirmation of the requested action."""
    existing = {part.said for part in clause.parts if part.meaning.role is SpeechRole.EXISTING}
    return bool(existing if clause.names_action else not before and existing - _CONFIRMING)


def _negation(clause: Clause, wish: ClauseRequest, weight: Weight) -> None:
    """Record the effect of a negated clause on the request. "Not 2729" does not affect "cancel
    2730", but "do not," and "not it" do."""
    roles = set(clause.roles)
    if roles <= _NOTHING_ELSE or (roles <= _POINTS and not _of_another(clause, wish)):
        weight.vetoes.add(Veto.NEGATED)
    elif clause.roles[:1] == SpeechRole.INSTEAD and not _of_another(clause, wish):
        weight.doubt(Veto.NEGATED)


def _of_another(clause: Clause, wish: ClauseRequest) -> bool:
    """Return True if the clause mentions an order other than the requested one, or says "the
    other"."""
    if clause.numbers:
        return not clause.numbers & wish.own.numbers and bool(wish.own.numbers)
    return SpeechRole.THING in clause.roles


def _led_by(before: Clause, clause: Clause, weight: Weight) -> None:
    """Record the effect of the previous clause. If the previous clause ends with a verb of speech,
    this clause is a quotation."""
    if is_reported_speech(before) and (
        clause.joint in {"colon", "that"}
        or before.roles.rstrip("fpmhut_")[-1:] == SpeechRole.REPORT
    ):
        weight.vetoes.add(Veto.QUOTED)
    last = before.parts[-1]
    if last.meaning.role is SpeechRole.CONDITIONAL or last.said in _LEAVES_OPEN:
        weight.vetoes.add(OPPOSING[last.meaning.role])
    of_its_own = clause.roles[:1] in {
        SpeechRole.I,
        SpeechRole.I_WISH,
        SpeechRole.PLEASE,
        SpeechRole.POLITE,
    }
    negated = SpeechRole.NEGATION in before.roles and not before.names_action
    if clause.joint in {"and", "or"} and negated and not of_its_own:
        weight.doubt(Veto.NEGATED)
    if clause.joint == "that" and set(before.roles) & set(OPPOSING):
        weight.vetoes.add(Veto.QUOTED)
    elif clause.joint == "that" and not set(before.roles) <= _CLEFT:
        weight.doubt(Veto.QUOTED)


def is_reported_speech(clause: Clause) -> bool:
    """Return True if a clause reports another person's words, or has another person as its
    subject."""
    return bool({SpeechRole.REPORT, SpeechRole.PERSON, SpeechRole.THIRD} & set(clause.roles))


def _rules(sentence: SpokenSentence) -> bool:
    """Return True if a sentence is about the procedure, as in "What is the process?"."""
    return any(SpeechRole.RULES in clause.roles for clause in sentence.clauses)


def _laughter(spoken: Sequence[SpokenSentence], at: int) -> bool:
    """Return True if laughter near the request marks it as a joke, as in "Refund me my lost youth,
    lol"."""
    return any(
        part.said in _LAUGHS
        for sentence in spoken[max(at - 1, 0) : at + 2]
        for clause in sentence.clauses
        for part in clause.parts
    )


def _sentence_before(sentence: SpokenSentence, weight: Weight, *, first: bool) -> None:
    roles = {role for clause in sentence.clauses for role in clause.roles}
    if sentence.introduces and first:
        if roles & {SpeechRole.REPORT, SpeechRole.PERSON, SpeechRole.THIRD}:
            weight.vetoes.add(Veto.QUOTED)
        else:
            weight.doubt(Veto.QUOTED)
    if SpeechRole.PART in roles:
        weight.doubt(Veto.PART)
    quotes = any(clause.joint == "colon" for clause in sentence.clauses)
    if quotes and roles & {SpeechRole.REPORT, SpeechRole.PERSON}:
        weight.doubt(Veto.QUOTED)
    if {SpeechRole.REPORT, SpeechRole.PERSON} <= roles:
        weight.doubt(Veto.OTHER_PERSON)


def _sentence_behind(sentence: SpokenSentence, weight: Weight, *, asks: bool) -> None:
    first = sentence.clauses[0].roles.lstrip("fpyx")
    roles = {role for clause in sentence.clauses for role in clause.roles}
    if asks and sentence.clauses[0].roles[:1] in {SpeechRole.NEGATION, SpeechRole.NO_WORD}:
        weight.vetoes.add(Veto.WITHDRAWN)
    if first[:1] in _LIMITING:
        weight.doubt(OPPOSING[first[0]])
    if SpeechRole.CONDITIONAL in roles:
        weight.doubt(Veto.CONDITIONAL)
    if sentence.clauses[0].parts[0].said in NOT_YET and set(sentence.clauses[0].roles) <= _WAITS:
        weight.vetoes.add(Veto.WITHDRAWN)
    if SpeechRole.DOUBT in roles:
        weight.doubt(Veto.HYPOTHETICAL)
    if SpeechRole.PART in roles:
        weight.doubt(Veto.PART)
