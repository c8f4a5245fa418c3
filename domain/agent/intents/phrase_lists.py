"""Lists of phrases. One pass over a message searches for all of them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from domain.agent.intents.meanings import ELIDED, Dictionary, tokens
from domain.agent.intents.sentence import read_sentences
from domain.agent.phrase_tree import PhraseTree
from domain.core.effort import spend

MOST_WORDS: Final = 8
"""Maximum number of words that are compared. Each word of each phrase takes memory and time."""
# Steps of the effort budget spent per word of a phrase, because each adds a branch to the tree.
_WORD_STEPS: Final = 100


class PhraseLists:
    """Lists of phrases. Phrases match whole words, ignoring case and accents. A trailing "*"
    matches any ending of the last word. Of a longer phrase, the first `MOST_WORDS` words count."""

    def __init__(self, lists: Sequence[Iterable[str]] = ()) -> None:
        # The tree remembers no words, because every client has such a tree and strangers choose
        # the words.
        self._tree = PhraseTree(remembered=0)
        self._is_empty = True
        for number, phrases in enumerate(lists):
            self.add(number, phrases)

    def add(self, number: int, phrases: Iterable[str]) -> None:
        """Add phrases to the list with the index `number`."""
        for phrase in phrases:
            if words := tuple(_words(phrase)):
                spend(_WORD_STEPS * len(words))
                self._tree.add(str(number), words)
                self._is_empty = False

    def mentioned(self, text: str) -> frozenset[int]:
        """Return the indexes of the lists that have at least one phrase in the text."""
        if self._is_empty:
            return frozenset()
        found = (
            self._tree.found_at(sentence.words, start)
            for sentence in read_sentences(text, _nothing())
            for start in range(len(sentence.words))
        )
        return frozenset(int(number) for places in found for number, _ in places)


def _words(phrase: str) -> Iterator[frozenset[str]]:
    said = tokens(phrase.replace("_", " "))
    whole = [word for word in said[:-1] if word not in ELIDED]
    yield from (frozenset({word}) for word in whole[:MOST_WORDS])
    if said and len(whole) < MOST_WORDS:
        last = said[-1]
        yield frozenset({f"{last}*" if phrase.rstrip().endswith("*") else last})


@cache
def _nothing() -> Dictionary:
    return Dictionary({})
