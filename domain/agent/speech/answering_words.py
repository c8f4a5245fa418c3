"""The words and expressions of answers: `answering_words.yaml`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from domain.core.lexicon import BrokenLexicon, LexiconFile, expression, lexicon


class Does(StrEnum):
    """What a word of an answer does. `asking`: belongs to a request that is said again."""

    ASSENT = "assent"
    DENIAL = "denial"
    INSTEAD = "instead"
    CORRECTING = "correcting"
    ASKED = "asked"
    ANOTHER = "another"
    ACTION = "action"
    AROUND = "around"
    ASKING = "asking"
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
    asking: tuple[str, ...]
    taking: frozenset[str]
    farewells: str
    sign_offs: str
    devices: str
    names: frozenset[str]
    no_names: frozenset[str]


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """`farewell`: thanks and farewells, where one begins. The other expressions are of a whole."""

    does: Mapping[str, Does]
    taking: frozenset[str]
    names: frozenset[str]
    no_names: frozenset[str]
    farewell: re.Pattern[str]
    sign_off: re.Pattern[str]
    device: re.Pattern[str]


@cache
def answer_words() -> AnswerWords:
    """Raises BrokenLexicon."""
    file = lexicon(__file__, _File)
    does: dict[str, Does] = {}
    for listed, what in (
        (file.assent, Does.ASSENT),
        (file.denial, Does.DENIAL),
        (file.instead, Does.INSTEAD),
        (file.correcting, Does.CORRECTING),
        (file.order + file.around + file.restating, Does.AROUND),
        (file.doubtful, Does.ELSE),
        (file.asking, Does.ASKING),
    ):
        for phrase in listed:
            if phrase in does:
                raise BrokenLexicon(f"answering_words.yaml: {phrase!r} stands twice")
            does[phrase] = what
    parts = {"farewells": file.farewells, "sign_offs": file.sign_offs}
    return AnswerWords(
        does,
        taking=file.taking,
        names=file.names,
        no_names=file.no_names,
        farewell=expression(r"(?:{{farewells}}|{{sign_offs}})(?!\S)", parts),
        sign_off=expression(file.sign_offs, {}),
        device=expression(file.devices, {}),
    )
