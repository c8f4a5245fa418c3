"""A tree of phrases, keyed by word, which finds all its phrases in one pass over a text.

Keys are whole words, stems that end in `*`, `_` for any word, `<n>` for a number and `<age>` for a
minor's age.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from domain.core.effort import spend

_MINOR_AGES: Final = range(1, 18)
_ANY: Final = "_"
_NUMBER: Final = "<n>"
_AGE: Final = "<age>"
_REMEMBERED: Final = 50_000
"""Maximum number of words that all branches of a tree remember."""
_REMEMBERED_CHARS: Final = 40


class _Memory:
    """The words that the branches of one tree remember. Strangers choose these words, so the
    branches share one limit."""

    __slots__ = ("_branches", "_limit", "_words")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._words = 0
        self._branches: list[dict[str, tuple[PhraseTree, ...]]] = []

    def keep(
        self,
        branch: dict[str, tuple["PhraseTree", ...]],
        word: str,
        found: tuple["PhraseTree", ...],
    ) -> None:
        """Remember a word of a branch. Once the limit is reached, all branches forget their words
        first."""
        if self._words >= self._limit:
            for other in self._branches:
                other.clear()
            self._branches.clear()
            self._words = 0
        if not branch:
            self._branches.append(branch)
        self._words += 1
        branch[word] = found


class PhraseTree:
    """A branch of the tree, with its subbranches. `concepts` are the concepts of the phrases that
    end at this branch. `remembered`: how many words the tree remembers, to find them faster."""

    __slots__ = ("_after", "_branches", "_by_form", "_memory", "_stems", "concepts")

    def __init__(self, remembered: int = _REMEMBERED) -> None:
        self._memory = _Memory(remembered) if remembered else None
        self.concepts: list[str] = []
        self._branches: dict[frozenset[str], PhraseTree] = {}
        self._by_form: dict[str, list[PhraseTree]] = {}
        self._stems: tuple[int, ...] = ()
        # Belongs to the branch, so that a tree that is no longer used can be freed.
        self._after: dict[str, tuple[PhraseTree, ...]] = {}

    def add(self, concept: str, words: Iterable[frozenset[str]]) -> None:
        """Add a phrase with its concept. `words` are the alternative forms of each word."""
        branch = self
        for forms in words:
            branch = branch._branch(forms)
        if concept not in branch.concepts:
            branch.concepts.append(concept)

    def found_at(self, words: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
        """Yield the concept of each phrase that starts at the index `start`, with the index of the
        phrase's last word."""
        branches = self.after(words[start])
        at = start
        while branches:
            spend(len(branches))
            for branch in branches:
                for concept in branch.concepts:
                    yield concept, at
            at += 1
            if at == len(words):
                return
            word = words[at]
            if len(branches) == 1:
                branches = branches[0].after(word)
            else:
                branches = tuple(further for branch in branches for further in branch.after(word))

    def _branch(self, forms: frozenset[str]) -> "PhraseTree":
        branch = self._branches.get(forms)
        if branch is None:
            self._after.clear()
            branch = self._branches[forms] = PhraseTree(remembered=0)
            branch._memory = self._memory
            for form in forms:
                self._by_form.setdefault(form, []).append(branch)
            stems = {len(form) - 1 for form in forms if form.endswith("*")}
            self._stems = tuple(sorted(stems.union(self._stems)))
        return branch

    def after(self, word: str) -> tuple["PhraseTree", ...]:
        """Return the distinct branches whose phrases continue with this word."""
        found = self._after.get(word)
        if found is None:
            if not self._by_form:  # A branch without subbranches remembers nothing.
                return ()
            found = self._found_after(word)
            if self._memory is not None and len(word) <= _REMEMBERED_CHARS:
                self._memory.keep(self._after, word, found)
        return found

    def _found_after(self, word: str) -> tuple["PhraseTree", ...]:
        known = self._by_form
        if word == ".":
            return ()
        lists = [known[form] for form in self._forms(word) if form in known]
        return tuple(dict.fromkeys(branch for found in lists for branch in found))

    def _forms(self, word: str) -> list[str]:
        forms = [word, _ANY]
        if word.isdecimal():
            forms += (_NUMBER, _AGE) if _is_minor_age(word) else (_NUMBER,)
        else:
            forms += [word[:length] + "*" for length in self._stems if length <= len(word)]
        return forms


def _is_minor_age(word: str) -> bool:
    return len(word) < 3 and int(word) in _MINOR_AGES
