"""A sentence: a part of a message, as words with their meanings."""

import re
from dataclasses import dataclass
from typing import Final

from domain.agent.intents.meanings import GOODS, READ_CHARACTERS, Dictionary, everyday, tokens
from domain.core.effort import spend

_END: Final = re.compile(r"([!?;…\n][.!?;…\n]*|(?<!\.)\.+(?=\s|\Z))")
# Matches a closing or an introduction that is followed by the customer's name.
_SIGNATURE: Final = re.compile(
    r"(?i:\b(?:thanks|thank you|many thanks|merci|merci d'avance|cordialement|regards|cheers"
    r"|bien à vous|salutations|best wishes|ta|bonne journée))[ \t]*[,.!\n-][ \t\n]*"
    r"((?:(?:M|Mme|Mr|Mrs|Ms)\.? )?[A-ZÀ-Ý][\w'-]{0,20}\.?(?: [A-ZÀ-Ý][\w'-]{0,20}\.?){0,2}"
    r"(?: \([A-ZÀ-Ý][\w -]{1,25}\))?)[ .!x]*\Z"
)
_INTRODUCTION: Final = re.compile(
    r"\b(?i:je suis|je m['’]appelle|my name is|i['’]m|i am|this is)[ ]+"
    r"((?:(?:M|Mme|Mr|Mrs|Ms)\.? )?[A-ZÀ-Ý][\w'-]{1,20}(?: [A-ZÀ-Ý][\w'-]{0,20}){0,2})"
)
_ASKING: Final = "ask"
_ARTICLE: Final = "article"


@dataclass(frozen=True, slots=True)
class MessageSentence:
    """A sentence in a message. `meanings` contains the meanings of all words and phrases, with
    "ask" for a question. `by_place` maps a word's index to its meanings."""

    text: str
    words: tuple[str, ...]
    meanings: frozenset[str]
    by_place: tuple[frozenset[str], ...]

    def of(self, place: int) -> frozenset[str]:
        """Return the meanings of a word: its own meanings, and those of phrases that contain the
        word. `place` is the word's index."""
        return self.by_place[place]

    def names_a_thing(self, place: int) -> bool:
        """Return True if the word at index `place` names a thing: it is unlisted and follows an
        article. If another word follows it, that word must have a known meaning other than goods.
        """
        behind = self.by_place[place + 1 : place + 2]
        return (
            not self.by_place[place]
            and place > 0
            and _ARTICLE in self.by_place[place - 1]
            and all(means and GOODS not in means for means in behind)
        )


def read_sentences(text: str, dictionary: Dictionary) -> list[MessageSentence]:
    """Split the first `READ_CHARACTERS` of a message into sentences, with the customer's name
    removed.

    The rest of the message counts as one unknown word.
    """
    spend(min(len(text), READ_CHARACTERS))
    parts = _END.split(_without_names(text[:READ_CHARACTERS]))
    said = [
        _read(part, dictionary, asks="?" in mark)
        for part, mark in zip(parts[::2], [*parts[1::2], ""], strict=True)
        if part.strip()
    ]
    if text[READ_CHARACTERS:].strip():
        said.append(_read("…beyond", dictionary, asks=False))
    return said


def _without_names(text: str) -> str:
    """Return the text without the customer's own name at its end or in an introduction."""
    return _without(_SIGNATURE, _without(_INTRODUCTION, text))


def _without(named: re.Pattern[str], text: str) -> str:
    """Return the text with the name that the pattern matches removed. A name that contains a word
    with a known meaning is kept."""
    found = named.search(text)
    if found is None or any(
        everyday().meanings(tuple(word for word in tokens(found[1]) if len(word) > 1))
    ):
        return text
    return text[: found.start(1)] + text[found.end(1) :]


def _read(text: str, dictionary: Dictionary, *, asks: bool) -> MessageSentence:
    words = tokens(text)
    by_place = tuple(dictionary.meanings(words))
    meanings = frozenset[str]().union(*by_place)
    return MessageSentence(
        text=f"{text.strip()}?" if asks else text.strip(),
        words=words,
        meanings=meanings | {_ASKING} if asks else meanings,
        by_place=by_place,
    )
