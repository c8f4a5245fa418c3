"""Features from the rarity of a question's words, learned from the questions in `training/help/`.

A rare word that the answer lacks often names the requested property. The answer is then about the
right product, but not about the question.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final, Self

import numpy as np

from adapters.brain.answer_features import Candidate
from adapters.brain.answer_words import AskedQuestion, terms
from adapters.brain.artifact import read_arrays, stored
from adapters.brain.features import Floats

RARITY_FEATURES: Final = (
    *("rarity_in_answer", "rarity_in_best", "rarity_in_entry", "rarity_in_title"),
    *("missing_rarity", "missing_in_entry", "rarest_missing", "rarest_missing_in_entry"),
    *("rare_elsewhere", "rare_elsewhere_only", "missing_elsewhere", "missing_everywhere"),
    *("other_entry_above", "rarity", "rarity_in_answer_squared", "rarity_in_entry_squared"),
)
_RARE: Final = 4.0
"""A word with a higher rarity is rare: it occurs in less than one of 50 questions."""


@dataclass(frozen=True, slots=True)
class Rarities:
    """The number of training questions that contain each stem. `questions` is the number of
    training questions."""

    counts: Mapping[str, int]
    questions: int

    def of(self, stems: Iterable[str]) -> dict[str, float]:
        """Return the rarity of each stem: 0 for a stem in every question, and the maximum for a
        stem in none."""
        return {stem: log((self.questions + 1) / (self.counts.get(stem, 0) + 1)) for stem in stems}


@dataclass(frozen=True, slots=True)
class AnsweredTerms:
    """The stems of a question, and of the texts that could answer it.

    `said` are the selected sentences with the entry's title. `best` is the best sentence with its
    heading and title. `others` are the other entries.
    """

    asked: frozenset[str]
    said: frozenset[str]
    best: frozenset[str]
    title: frozenset[str]
    entry: frozenset[str]
    others: tuple[frozenset[str], ...]

    @property
    def missing(self) -> frozenset[str]:
        """Return the question's stems that the selected sentences do not contain."""
        return self.asked - self.said

    @classmethod
    def of(cls, question: AskedQuestion, found: Sequence[Candidate], chosen: Sequence[int]) -> Self:
        """Return the stems for the selected sentences. `chosen`: their places in `found`, best
        first."""
        passage = found[chosen[0]].passage
        language = passage.language
        title = terms(passage.title, language).stems
        said = [
            terms(f"{one.heading} {one.text}", language).stems
            for one in (found[place].sentence for place in chosen)
        ]
        others: dict[str, set[str]] = {}
        for one in found:
            if one.passage.id != passage.id:
                above = terms(f"{one.passage.title} {one.sentence.heading}", one.passage.language)
                stems = terms(one.sentence.text, one.passage.language).stems
                others.setdefault(one.passage.id, set()).update(stems, above.stems)
        return cls(
            asked=question.terms[language].stems,
            said=title.union(*said),
            best=title | said[0],
            title=title,
            entry=terms(f"{passage.title} {passage.body}", language).stems,
            others=tuple(map(frozenset, others.values())),
        )


def rarity_features(compared: AnsweredTerms, rarities: Rarities) -> Floats:
    """Return the features of an answer, in the order of RARITY_FEATURES."""
    rarity = rarities.of(compared.asked)
    total = sum(rarity.values()) + 1e-6

    def weight(stems: Iterable[str]) -> float:
        return sum(rarity[stem] for stem in sorted(stems))

    def share(stems: frozenset[str]) -> float:
        return weight(compared.asked & stems) / total

    missing, absent = compared.missing, compared.asked - compared.entry
    elsewhere = frozenset[str]().union(*compared.others)
    rare = {stem for stem in elsewhere & compared.asked if rarity[stem] > _RARE}
    in_answer, in_entry = share(compared.said), share(compared.entry)
    return np.array(
        (
            in_answer,
            share(compared.best),
            in_entry,
            share(compared.title),
            weight(missing),
            weight(absent),
            max((rarity[stem] for stem in missing), default=0.0),
            max((rarity[stem] for stem in absent), default=0.0),
            float(len(missing & rare)),
            float(len(absent & rare)),
            weight(absent & elsewhere),
            weight(absent - elsewhere),
            max(map(share, compared.others), default=0.0) - in_entry,
            total,
            in_answer**2,
            in_entry**2,
        )
    )


@dataclass(frozen=True, slots=True)
class WordWeights:
    """A linear model over the presence of words. `words`: maps each word to its place in
    `rarities` and `weights`."""

    words: Mapping[str, int]
    rarities: Floats
    weights: Floats

    def score(self, present: Iterable[str]) -> float:
        """Return the log odds that these words add."""
        places, values = self.row(present)
        return float(values @ self.weights[places])

    def row(self, present: Iterable[str]) -> tuple[list[int], Floats]:
        """Return the places of the known words among those present, and their values. The values
        are the words' rarities, scaled to the length 1."""
        places = sorted(self.words[word] for word in present if word in self.words)
        values = self.rarities[places]
        return places, values / max(sqrt(float(values @ values)), 1e-6)


@dataclass(frozen=True, slots=True)
class RarityModel:
    """The part of an answer model that depends on single words. `asked` contains the weights of the
    question's words and word pairs. `missing` contains the weights of stems that the answer
    lacks."""

    rarities: Rarities
    asked: WordWeights
    missing: WordWeights

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Read the model from the bytes of a model file. Raises ModelInvalid."""
        arrays = read_arrays(
            content,
            (
                *("stems", "stem_counts", "questions"),
                *("asked_words", "asked_rarities", "asked_weights"),
                *("missing_words", "missing_rarities", "missing_weights"),
            ),
        )

        def words(name: str) -> WordWeights:
            listed = str(arrays[f"{name}_words"]).split("\n")
            return WordWeights(
                words={word: place for place, word in enumerate(listed)},
                rarities=stored(arrays[f"{name}_rarities"], np.float64, (len(listed),)),
                weights=stored(arrays[f"{name}_weights"], np.float64, (len(listed),)),
            )

        stems = str(arrays["stems"]).split("\n")
        counts = stored(arrays["stem_counts"], np.int64, (len(stems),))
        return cls(
            rarities=Rarities(
                counts={stem: int(count) for stem, count in zip(stems, counts, strict=True)},
                questions=int(stored(arrays["questions"], np.int64, ())),
            ),
            asked=words("asked"),
            missing=words("missing"),
        )

    def features(self, compared: AnsweredTerms) -> Floats:
        """Return the features of an answer, in the order of RARITY_FEATURES."""
        return rarity_features(compared, self.rarities)

    def score(self, question: AskedQuestion, compared: AnsweredTerms) -> float:
        """Return the log odds that the question's words and the missing stems add."""
        return self.asked.score(question.words) + self.missing.score(compared.missing)
