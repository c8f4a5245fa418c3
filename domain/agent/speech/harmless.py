"""Words that do not change a request, and sets of phrases built from them (`harmless.yaml`)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.agent.speech.vocabulary import ACTION_FORMS, Meaning, SpeechRole, vocabulary
from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.text import fold

_TOKEN: Final = re.compile(r"(?:[a-z]{1,6}-?)?\d[a-z\d]*(?:-[a-z\d]+)*|[^\W\d_]+")
_APOSTROPHES: Final = re.compile(r"['’ʼ`´]")
_PLAIN_FORMS: Final = ACTION_FORMS - {SpeechRole.WEAK, SpeechRole.OTHER}

Tokens = tuple[str, ...]


class CautionFile(LexiconFile):
    asking: tuple[str, ...]
    harmless: tuple[str, ...]
    interrogative: tuple[str, ...]
    whole: tuple[str, ...]
    money: tuple[str, ...]
    returning: tuple[str, ...]
    amounts: tuple[str, ...]
    urging: tuple[str, ...]
    greeting: tuple[str, ...]
    closing: tuple[str, ...]
    order: tuple[str, ...]
    before_numbers: tuple[str, ...]
    before_sums: tuple[str, ...]
    clashes: tuple[str, ...]
    pointing: tuple[str, ...]
    no_name: tuple[str, ...]
    no_name_endings: tuple[str, ...]
    titles: tuple[str, ...]


class CautionPhrases:
    """A set of phrases, split into words. The longest phrase matches first."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._held = frozenset(tokens_of(phrase) for phrase in listed)
        self._longest = max(map(len, self._held))

    def length_at(self, tokens: Tokens, at: int) -> int:
        """Return the number of words in the longest phrase that starts at the index `at`, or 0 if
        no phrase starts there."""
        for length in range(min(self._longest, len(tokens) - at), 0, -1):
            if tokens[at : at + length] in self._held:
                return length
        return 0

    def cover(self, tokens: Tokens) -> int:
        """Return the number of words at the start of the text that these phrases cover without a
        gap."""
        at = 0
        while length := self.length_at(tokens, at):
            at += length
        return at

    def within(self, tokens: Tokens) -> bool:
        return any(self.length_at(tokens, at) for at in range(len(tokens)))


@dataclass(frozen=True, slots=True)
class CautionWords:
    """The words and phrases in `harmless.yaml`. `actions` are the words in the grammar that name an
    action, with their meanings."""

    file: CautionFile
    known: CautionPhrases
    asking: CautionPhrases
    interrogative: CautionPhrases
    behind: CautionPhrases
    polite: CautionPhrases
    clashes: CautionPhrases
    pointing: CautionPhrases
    actions: Mapping[str, Meaning]


def tokens_of(text: str) -> Tokens:
    """Return the folded words and numbers of a text. An apostrophe separates words."""
    spend(len(text))
    return tuple(_TOKEN.findall(_APOSTROPHES.sub(" ", fold(text))))


@cache
def caution_words() -> CautionWords:
    """Return the words and phrases from `harmless.yaml`. Raises BrokenLexicon if the file is
    invalid."""
    file = lexicon(__file__, CautionFile)
    grammar = {**vocabulary("fr").phrases, **vocabulary("en").phrases}
    actions = {
        phrase: meaning
        for phrase, meaning in grammar.items()
        if meaning.kind and meaning.role in _PLAIN_FORMS and not phrase.endswith("ments")
    }
    please = [phrase for phrase, one in grammar.items() if one.role is SpeechRole.PLEASE]
    courtesy = (*file.greeting, *file.closing, *please)
    said = (*file.asking, *file.harmless, *file.interrogative, *file.whole, *file.money)
    return CautionWords(
        file=file,
        known=CautionPhrases((*said, *file.returning, *file.amounts, *file.urging, *courtesy)),
        asking=CautionPhrases(file.asking),
        interrogative=CautionPhrases(file.interrogative),
        behind=CautionPhrases((*courtesy, *file.urging)),
        polite=CautionPhrases(courtesy),
        clashes=CautionPhrases(file.clashes),
        pointing=CautionPhrases(file.pointing),
        actions=actions,
    )
