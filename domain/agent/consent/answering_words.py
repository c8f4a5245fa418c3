"""The words and phrases used in customers' answers, from `answering_words.yaml`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from domain.agent.plan import ActionKind
from domain.core.lexicon import BrokenLexicon, LexiconFile, expression, lexicon

_LEAST_NEAR: Final = 5
_END: Final = r"(?!\S)"
_AROUND: Final = "(?:{{farewells}}|{{sign_offs}})" + _END


class Does(StrEnum):
    """The function of a word in an answer.

    - `asking`: part of a repeated request.
    - `consenting`: says yes to the action named after it.
    - `question`: asks how long the action takes.
    - `apology`, `excuse`: explain why the answer is late or short.
    - `notice`: asks for a message once the action is done.
    - `told`: part of an aside, which does not change a yes.
    """

    ASSENT = "assent"
    DENIAL = "denial"
    INSTEAD = "instead"
    CORRECTING = "correcting"
    ASKED = "asked"
    ANOTHER = "another"
    ACTION = "action"
    AROUND = "around"
    ASKING = "asking"
    CONSENTING = "consenting"
    QUESTION = "question"
    APOLOGY = "apology"
    EXCUSE = "excuse"
    NOTICE = "notice"
    ASIDE = "told"
    ELSE = "else"


class _File(LexiconFile):
    assent: tuple[str, ...]
    denial: tuple[str, ...]
    instead: tuple[str, ...]
    correcting: tuple[str, ...]
    order: tuple[str, ...]
    around: tuple[str, ...]
    restating: tuple[str, ...]
    doubtful: tuple[str, ...]
    consenting: tuple[str, ...]
    asking: tuple[str, ...]
    actions: dict[ActionKind, tuple[str, ...]]
    participles: dict[ActionKind, tuple[str, ...]]
    passive: frozenset[str]
    polite_questions: frozenset[str]
    near: tuple[str, ...]
    taking: frozenset[str]
    notices: str
    questions: str
    questions_of_it: str
    money: str
    argent: str
    onto: str
    compte: str
    apologies: str
    excuses: str
    busy: str
    farewells: str
    sign_offs: str
    devices: str
    relations: str
    reasons: str
    unsettling: frozenset[str]
    tellers: frozenset[str]
    titles: frozenset[str]
    names: frozenset[str]
    no_names: frozenset[str]


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """The words and patterns from `answering_words.yaml`.

    `farewell` to `question_of_it` match at the start of an expression, and `sign_off` to `relation`
    match a whole run. `single_words` excludes names and titles.
    """

    does: Mapping[str, Does]
    actions: Mapping[str, ActionKind]
    participles: Mapping[str, ActionKind]
    passive: frozenset[str]
    polite_questions: frozenset[str]
    near: Mapping[str, str]
    taking: frozenset[str]
    names: frozenset[str]
    no_names: frozenset[str]
    unsettling: frozenset[str]
    tellers: frozenset[str]
    titles: frozenset[str]
    single_words: frozenset[str]
    farewell: re.Pattern[str]
    apology: re.Pattern[str]
    excuse: re.Pattern[str]
    notice: re.Pattern[str]
    reason: re.Pattern[str]
    question: re.Pattern[str]
    question_of_it: re.Pattern[str]
    sign_off: re.Pattern[str]
    device: re.Pattern[str]
    relation: re.Pattern[str]


@cache
def answer_words() -> AnswerWords:
    """Return the words and patterns from `answering_words.yaml`. Raises BrokenLexicon if the file
    is invalid."""
    file = lexicon(__file__, _File)
    does = _does(file)
    parts = {
        name: getattr(file, name).strip()
        for name in ("farewells", "sign_offs", "busy", "money", "argent")
    } | {"onto": file.onto.strip("\n"), "compte": file.compte.strip("\n")}
    listed = {word for phrase in does for word in phrase.split()}
    return AnswerWords(
        does,
        actions=_by_form(file.actions),
        participles=_by_form(file.participles),
        passive=file.passive,
        polite_questions=file.polite_questions,
        near={near: word for word in file.near for near in _one_letter_off(word)},
        taking=file.taking,
        names=file.names,
        no_names=file.no_names,
        unsettling=file.unsettling,
        tellers=file.tellers,
        titles=file.titles,
        single_words=frozenset(listed - file.names - file.titles),
        farewell=expression(_AROUND, parts),
        apology=expression(f"(?:{file.apologies}){_END}", {}),
        excuse=expression(f"(?:{file.excuses}){_END}", parts),
        reason=expression(f"(?:{file.reasons}){_END}", {}),
        notice=expression(f"(?:{file.notices}){_END}", {}),
        question=expression(f"(?:{file.questions}){_END}", parts),
        question_of_it=expression(f"(?:{file.questions_of_it}){_END}", parts),
        sign_off=expression(file.sign_offs, {}),
        device=expression(file.devices, {}),
        relation=expression(file.relations, {}),
    )


def near_word(said: str) -> str | None:
    """Return the listed word that differs from `said` by one letter, or None."""
    return answer_words().near.get(said) if len(said) >= _LEAST_NEAR else None


def _does(file: _File) -> dict[str, Does]:
    does: dict[str, Does] = {}
    for listed, what in (
        (file.assent, Does.ASSENT),
        (file.denial, Does.DENIAL),
        (file.instead, Does.INSTEAD),
        (file.correcting, Does.CORRECTING),
        (file.order + file.around + file.restating, Does.AROUND),
        (file.doubtful, Does.ELSE),
        (file.consenting, Does.CONSENTING),
        (file.asking, Does.ASKING),
    ):
        for phrase in listed:
            if phrase in does:
                raise BrokenLexicon(f"answering_words.yaml: {phrase!r} stands twice")
            does[phrase] = what
    return does


def _by_form(listed: Mapping[ActionKind, tuple[str, ...]]) -> dict[str, ActionKind]:
    return {form: kind for kind, forms in listed.items() for form in forms}


def _one_letter_off(word: str) -> Iterator[str]:
    """Yield every spelling with one letter added, dropped or replaced, or with two adjacent letters
    swapped. The first letter is kept."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in letters:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]
