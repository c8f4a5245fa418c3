"""What stands around a request, and takes from it: its own sentence, and those beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from domain.agent.speech.clause import Clause, SpokenSentence
from domain.agent.speech.request import Veto
from domain.agent.speech.vocabulary import OPPOSING, Role
from domain.agent.speech.wish import Wish

_NOTHING_ELSE: Final = frozenset("Nfpyxu")
_CONFIRMING: Final = frozenset({"confirm", "confirmation", "confirmez", "confirmer"})
# "It is order 2040 that I want refunded".
_CLEFT: Final = frozenset("fp_adoOzLPcqtrwWi")
# "For my client," and nothing more.
_ON_BEHALF: Final = frozenset("rtXfp")
_LEAVES_OPEN: Final = frozenset({"dont", "do not", "not", "ne", "never", "surtout pas", "jamais"})
_POINTS: Final = frozenset("fpyxadotOzPLqNr")


@dataclass(slots=True)
class Weight:
    """`vetoes` end a request; `doubts` make it a likely one at most."""

    vetoes: set[Veto] = field(default_factory=set)
    doubts: set[Veto] = field(default_factory=set)
    said: list[Veto] = field(default_factory=list)
    doubtful: bool = False

    def doubt(self, veto: Veto | None = None) -> None:
        self.doubtful = True
        if veto:
            self.said.append(veto)
            self.doubts.add(veto)


def around(spoken: Sequence[SpokenSentence], at: int, of: int, wish: Wish) -> Weight:
    """`at`: the sentence of the request, `of`: its clause in it."""
    weight = Weight()
    sentence = spoken[at]
    clauses = list(sentence.clauses)
    for place, clause in enumerate(clauses):
        if place != of:
            _beside(clause, wish, weight, before=place < of)
    if wish.behind:
        _beside(wish.behind, wish, weight, before=False)
    if of > 0:
        _led_by(clauses[of - 1], clauses[of], weight)
    if "or" in {clauses[of].joint, *(c.joint for c in clauses[of + 1 : of + 2])}:
        weight.doubt(Veto.HYPOTHETICAL)
    if sentence.asks and not wish.polite:
        weight.doubt(Veto.QUESTION)
    asks_rules = sentence.asks and any(Role.RULES in clause.roles for clause in clauses)
    if asks_rules and not wish.polite:
        weight.vetoes.add(Veto.RULES)
    elif Role.RULES in clauses[0].roles[:1] and of > 0:
        weight.doubt(Veto.RULES)
    if at > 0:
        _sentence_before(spoken[at - 1], weight, first=of == 0)
    if at + 1 < len(spoken):
        _sentence_behind(spoken[at + 1], weight, asks=sentence.asks)
    if sum(doubt == Veto.PART for doubt in weight.said) > 1:
        weight.vetoes.add(Veto.PART)
    return weight


def _beside(clause: Clause, wish: Wish, weight: Weight, *, before: bool) -> None:
    roles = set(clause.roles)
    if Role.CONDITIONAL in roles:
        weight.vetoes.add(Veto.CONDITIONAL)
    if roles & {Role.DOUBT, Role.HYPOTHETICAL}:
        weight.doubt(Veto.HYPOTHETICAL)
    if Role.NEGATION in roles:
        _negation(clause, wish, weight)
    elif Role.EXCHANGE in roles and Role.INSTEAD not in roles:
        if not before and clause.roles.lstrip("fpadrtWe")[:1] == Role.EXCHANGE:
            weight.vetoes.add(Veto.EXCHANGE)
        else:
            weight.doubt(Veto.EXCHANGE)
    if Role.PART in roles:
        stands_alone = clause.roles.lstrip("fpadrt")[:1] == Role.PART
        if not before and (stands_alone or wish.of_a_thing):
            weight.vetoes.add(Veto.PART)
        else:
            weight.doubt(Veto.PART)
    if Role.SUM in roles or (Role.COUNT in roles and not before):
        weight.doubt(Veto.PART)
    if Role.PERSON in roles and roles <= _ON_BEHALF:
        weight.vetoes.add(Veto.OTHER_PERSON)
    if roles & {Role.REPORT, Role.PERSON}:
        weight.doubt(Veto.OTHER_PERSON)
    if not before and Role.NO_WORD in roles and roles <= _NOTHING_ELSE:
        weight.vetoes.add(Veto.WITHDRAWN)
    if _speaks_of_existing(clause, before=before):
        weight.doubt(Veto.EXISTING)
    if Role.WITHDRAWN in roles and "YN" not in clause.roles and not _of_another(clause, wish):
        if before:
            weight.doubt(Veto.WITHDRAWN)
        else:
            weight.vetoes.add(Veto.WITHDRAWN)


def _speaks_of_existing(clause: Clause, *, before: bool) -> bool:
    """ "And confirm" asks for news of what is asked for."""
    existing = {part.said for part in clause.parts if part.meaning.role is Role.EXISTING}
    return bool(existing if clause.names_action else not before and existing - _CONFIRMING)


def _negation(clause: Clause, wish: Wish, weight: Weight) -> None:
    """ "Not 2729" beside "cancel 2730" takes nothing from it; "do not," and "not it" do."""
    roles = set(clause.roles)
    if roles <= _NOTHING_ELSE or (roles <= _POINTS and not _of_another(clause, wish)):
        weight.vetoes.add(Veto.NEGATED)


def _of_another(clause: Clause, wish: Wish) -> bool:
    """Whether the clause names another order than the request, or says "the other"."""
    if clause.numbers:
        return not clause.numbers & wish.own.numbers and bool(wish.own.numbers)
    return Role.THING in clause.roles


def _led_by(before: Clause, clause: Clause, weight: Weight) -> None:
    """The clause is what somebody says, where the clause before ends on a word of speech."""
    if told_by_others(before) and (
        clause.joint in {"colon", "that"} or before.roles.rstrip("fpmhut_")[-1:] == Role.REPORT
    ):
        weight.vetoes.add(Veto.QUOTED)
    last = before.parts[-1]
    if last.meaning.role is Role.CONDITIONAL or last.said in _LEAVES_OPEN:
        weight.vetoes.add(OPPOSING[last.meaning.role])
    if clause.joint in {"and", "or"} and Role.NEGATION in before.roles and not before.names_action:
        if clause.roles[:1] not in {Role.I, Role.I_WISH, Role.PLEASE, Role.POLITE}:
            weight.doubt(Veto.NEGATED)
    if clause.joint == "that" and set(before.roles) & set(OPPOSING):
        weight.vetoes.add(Veto.QUOTED)
    elif clause.joint == "that" and not set(before.roles) <= _CLEFT:
        weight.doubt(Veto.QUOTED)


def told_by_others(clause: Clause) -> bool:
    return bool({Role.REPORT, Role.PERSON, Role.THIRD} & set(clause.roles))


def _sentence_before(sentence: SpokenSentence, weight: Weight, *, first: bool) -> None:
    roles = {role for clause in sentence.clauses for role in clause.roles}
    if sentence.introduces and first:
        if roles & {Role.REPORT, Role.PERSON, Role.THIRD}:
            weight.vetoes.add(Veto.QUOTED)
        else:
            weight.doubt(Veto.QUOTED)
    if Role.PART in roles:
        weight.doubt(Veto.PART)
    if {Role.REPORT, Role.PERSON} <= roles:
        weight.doubt(Veto.OTHER_PERSON)


def _sentence_behind(sentence: SpokenSentence, weight: Weight, *, asks: bool) -> None:
    first = sentence.clauses[0].roles.lstrip("fpyx")
    roles = {role for clause in sentence.clauses for role in clause.roles}
    if asks and sentence.clauses[0].roles[:1] in {Role.NEGATION, Role.NO_WORD}:
        weight.vetoes.add(Veto.WITHDRAWN)
    if first[:1] in {Role.CONDITIONAL, Role.PART, Role.NEGATION}:
        weight.doubt(OPPOSING[first[0]])
    if Role.DOUBT in roles:
        weight.doubt(Veto.HYPOTHETICAL)
    if Role.PART in roles:
        weight.doubt(Veto.PART)
