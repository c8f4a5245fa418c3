"""Detect the request in one clause, with the vetoes that its own words contain."""

from dataclasses import dataclass
from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.speech.clause import Clause
from domain.agent.speech.grammar import Form, form_of
from domain.agent.speech.request import Standing, Veto
from domain.agent.speech.vocabulary import OPPOSING, SpeechRole

_SKIPPED: Final = frozenset("fpadotreyBm")
_ONLY: Final = frozenset({"only", "just", "juste", "solely", "simplement"})
NOT_YET: Final = frozenset({"pas encore", "toujours pas", "not yet", "pas tout de suite"})
_OBJECTS: Final = frozenset("OzPLq$")
# Words that start a new clause without a punctuation mark: "cancel it please i cannot pay".
_SUBJECTS: Final = frozenset("i")
_OPENERS: Final = frozenset(
    {
        "dont",
        "havent",
        "cant",
        "doesnt",
        "wont",
        "didnt",
        "isnt",
        "wasnt",
        "c",
        "couldnt",
        "est",
        "is",
        "was",
        "never",
    }
    | {"its", "cest", "jai", "ive", "im", "thats", "ya", "nest", "there is"}
)


@dataclass(frozen=True, slots=True)
class ClauseRequest:
    """A request in one clause.

    - `own`: the part of the clause that forms the request.
    - `behind`: the next clause, unless punctuation separates it.
    - `of_a_thing`: the request is not about an order.
    - `polite`: the request is a question, such as "Could you …?".
    - `bare`: the request is a noun without a verb.
    """

    kind: ActionKind
    standing: Standing
    own: Clause
    of_a_thing: bool
    behind: Clause | None
    vetoes: frozenset[Veto]
    polite: bool
    bare: bool


def request_of_clause(clause: Clause) -> ClauseRequest | None:
    """Return the request in a clause, or None if there is none. If the request's own words veto it,
    its standing is `none`."""
    form = form_of(clause)
    if form is None:
        return None
    end, object_at = _object(clause, form)
    if object_at is not None and clause.roles[object_at] == SpeechRole.OTHER_THING:
        return None
    own, behind = _divided(clause, end)
    if form.bare and behind and behind.parts[0].said in _OPENERS:
        return None
    vetoes = frozenset(against(own, form, object_at))
    aim = clause.roles[object_at] if object_at is not None else ""
    standing = Standing.NONE if vetoes else _standing(own, form, aim)
    of_a_thing = aim != "" and aim not in _OBJECTS
    return ClauseRequest(
        form.kind, standing, own, of_a_thing, behind, vetoes, form.polite, form.bare
    )


def against(clause: Clause, form: Form, object_at: int | None) -> set[Veto]:
    """Return the vetoes against a request that come from words in the request's own clause."""
    return {
        veto
        for at, role in enumerate(clause.roles)
        if (_puts_off(clause, form, at) or not _of_no_weight(role, at, form))
        and (veto := _veto(clause, form, object_at, at))
    }


def _puts_off(clause: Clause, form: Form, at: int) -> bool:
    """Return True if the phrase at `at` postpones the request, as in "Annulez pas encore la
    3161"."""
    return clause.parts[at].said in NOT_YET and form.end <= at <= form.end + 2


def _of_no_weight(role: str, at: int, form: Form) -> bool:
    if form.bare:
        return False
    return (role in _AFTERTHOUGHTS and at >= form.end) or (
        role in _OF_THE_MATTER and at < form.start
    )


def _veto(clause: Clause, form: Form, object_at: int | None, at: int) -> Veto | None:
    role = clause.roles[at]
    if _puts_off(clause, form, at):
        return Veto.NEGATED
    if role == SpeechRole.SUM:
        definite = clause.roles[max(at - 1, 0) : at] in {"a", "d", "o", "q"}
        return None if definite else Veto.PART
    if role == SpeechRole.COUNT:
        counts = form.end <= at <= form.end + 3 and not _counts_orders(clause, at)
        return Veto.PART if counts else None
    if role in OPPOSING or role == SpeechRole.SOFT_EXISTING:
        return OPPOSING.get(role) or (Veto.EXISTING if form.bare else None)
    if clause.parts[at].said in _ONLY and _names_a_thing(clause, form, object_at, at):
        return Veto.PART
    return Veto.WITHDRAWN if role == SpeechRole.NOUN and at == object_at else None


# A word with one of these roles makes a request uncertain if the word follows the request. If the
# word precedes the request, it vetoes the request.
_AFTERTHOUGHTS: Final = frozenset(
    {
        SpeechRole.THIRD,
        SpeechRole.REPORT,
        SpeechRole.EXISTING,
        SpeechRole.RULES,
        SpeechRole.HYPOTHETICAL,
    }
)
# If words with these roles precede a request that has its own subject, they only describe the
# topic.
_OF_THE_MATTER: Final = frozenset(
    {
        SpeechRole.EXISTING,
        SpeechRole.SOFT_EXISTING,
        SpeechRole.PART,
        SpeechRole.EXCHANGE,
        SpeechRole.SUM,
        SpeechRole.COUNT,
    }
)
_DOUBTFUL: Final = _AFTERTHOUGHTS | {
    SpeechRole.DOUBT,
    SpeechRole.SUM,
    SpeechRole.COUNT,
    SpeechRole.SOFT_WISH,
    SpeechRole.MAY,
}


def _standing(clause: Clause, form: Form, aim: str) -> Standing:
    unknown = aim != "" and aim not in _OBJECTS
    if not form.plain or unknown or not form.sure or _DOUBTFUL & set(clause.roles):
        return Standing.LIKELY
    return Standing.PLAIN


def _object(clause: Clause, form: Form) -> tuple[int, int | None]:
    """Return the end index of the request's object, and the index of its first noun. If there is no
    object, the second index is None."""
    at = form.end
    while at < len(clause.roles) and clause.roles[at] in _SKIPPED:
        at += 1
    if at == len(clause.roles):
        return at, None
    if clause.roles[at] in _OBJECTS:
        end = at
        while end < len(clause.roles) and clause.roles[end] in _OBJECTS | _SKIPPED:
            end += 1
        return end, at
    return at, at


def _divided(clause: Clause, end: int) -> tuple[Clause, Clause | None]:
    for at in range(end, len(clause.parts)):
        part = clause.parts[at]
        starts = part.meaning.role in _SUBJECTS or part.said in _OPENERS
        after_please = at > 0 and clause.roles[at - 1] == SpeechRole.PLEASE
        if starts or (after_please and part.meaning.role is not SpeechRole.PREP):
            return (
                Clause(clause.parts[:at], clause.joint),
                Clause(clause.parts[at:], "run-on"),
            )
    return clause, None


def _names_a_thing(clause: Clause, form: Form, object_at: int | None, at: int) -> bool:
    """Return True if the word at `at` limits the request to something other than the order, as in
    "Refund just the mug". Return False for "just refund the order"."""
    return at >= form.end and object_at is not None and clause.roles[object_at] not in _OBJECTS


def _counts_orders(clause: Clause, at: int) -> bool:
    return clause.roles[at + 1 : at + 2] == SpeechRole.ORDER or (
        at > 0 and clause.roles[at - 1] in {SpeechRole.PREP, SpeechRole.NUMBER}
    )
