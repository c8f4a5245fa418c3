"""Features that measure how well a sentence from the knowledge base answers a question, for the
models in `adapters/brain/answers.npz`. After a change, run `python -m training.train_answers`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from adapters.brain.answer_words import (
    READ_CHARS,
    AskedQuestion,
    Terms,
    holds_kind,
    terms,
)
from adapters.brain.features import Floats
from domain.agent.brain import Language, Passage, PassageSentence
from domain.content.chunks import chunks_of
from domain.core.effort import spend
from domain.core.text import fold

MOST_CANDIDATES: Final = 180
"""Maximum number of sentences that are compared with a message. The eight longest articles of a
shop in `evaluation/shops` have at most 165 sentences."""

MOST_CANDIDATE_CHARS: Final = 20_000
"""Maximum total length of these sentences, in characters."""

# Steps of the effort budget spent per sentence, in addition to those for its characters.
_SENTENCE_STEPS: Final = 1_000

CUES: Final = ("existence", "yes_or_no", "two_matters", "why", "own_case")

SENTENCE_FEATURES: Final = (
    *("similarity", "below_best", "chunk", "entry", "place", "rank", "in_entry", "before", "after"),
    *("has_number", "is_fragment"),
    *("covered", "covered_above", "covered_chunk", "rare_missing"),
    *("same_language", "kind_held", "kind_missing", "words", "is_row", "is_question", "first"),
    *("number_shared", "number_conflict", "thing_conflict", "title_covered", "no_meaning"),
    *("label_conflict", "label_shared", "named_shared", "named_missing", "measured_missing"),
    *("number_missing", "unit_conflict", "covered_of_all"),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    passage: Passage
    sentence: PassageSentence


def candidates_of(passages: Sequence[Passage]) -> list[Candidate]:
    """Return the sentences of all passages. A passage without stored sentences is split into
    sentences here."""
    return [
        Candidate(passage, sentence)
        for passage in passages
        for sentence in passage.sentences or _cut(passage)
    ]


def _cut(passage: Passage) -> tuple[PassageSentence, ...]:
    return tuple(
        PassageSentence(heading=chunk.heading, text=text, chunk=place)
        for place, chunk in enumerate(chunks_of(passage.body[: READ_CHARS * 4]))
        for text in chunk.sentences
    )


def compared_candidates(question: AskedQuestion, found: list[Candidate]) -> list[Candidate]:
    """Return the candidates that are compared with the question, in the given order.

    Beyond `MOST_CANDIDATES` sentences or `MOST_CANDIDATE_CHARS` characters, the most similar ones
    are kept. Sentences without embeddings are ranked by the words that they share with the
    question.
    """
    size = sum(len(one.sentence.text) for one in found)
    if len(found) <= MOST_CANDIDATES and size <= MOST_CANDIDATE_CHARS:
        return found
    spend(size)

    def rank(place: int) -> tuple[float, int]:
        sentence = found[place].sentence
        if sentence.similarity is not None:
            return -sentence.similarity, 0
        return 0.0, -len(question.words.intersection(fold(sentence.text).split()))

    kept: list[int] = []
    left = MOST_CANDIDATE_CHARS
    for place in sorted(range(len(found)), key=rank)[:MOST_CANDIDATES]:
        left -= len(found[place].sentence.text)
        if left < 0 and kept:
            break
        kept.append(place)
    return [found[place] for place in sorted(kept)]


def sentence_features(
    question: AskedQuestion, language: Language, passages: Sequence[Passage]
) -> tuple[list[Candidate], Floats]:
    """Return the sentences that are compared with the question, and their features as an array of
    shape (sentences, features)."""
    found = compared_candidates(question, candidates_of(passages))
    if not found:
        return [], np.zeros((0, len(SENTENCE_FEATURES)))
    spend(_SENTENCE_STEPS * len(found))
    rarity = _rarities(found)
    similarities = np.array([one.sentence.similarity or 0.0 for one in found])
    center, spread = float(similarities.mean()), max(float(similarities.std()), 1e-3)
    top = float(similarities.max())
    best_of_chunk: dict[tuple[str, int], float] = {}
    for one, similarity in zip(found, similarities, strict=True):
        key = one.passage.id, one.sentence.chunk
        best_of_chunk[key] = max(best_of_chunk.get(key, -1.0), float(similarity))
    best_of_entry: dict[str, float] = {}
    for (entry, _), similarity in best_of_chunk.items():
        best_of_entry[entry] = max(best_of_entry.get(entry, -1.0), similarity)
    top_rank = max(passage.rank for passage in passages) or 1.0
    best_entry = max((one.similarity or 0.0) for one in passages)
    places = {passage.id: place for place, passage in enumerate(passages)}
    chunk_terms = _chunk_terms(found)
    rows = []
    for at, (one, similarity) in enumerate(zip(found, similarities, strict=True)):
        passage, sentence = one.passage, one.sentence
        asked = question.terms[passage.language]
        said = terms(sentence.text, passage.language)
        above = terms(f"{passage.title} {sentence.heading}", passage.language)
        title = terms(passage.title, passage.language)
        whole = chunk_terms[passage.id, sentence.chunk]
        weights = {stem: rarity.get(stem, 0.0) for stem in asked.stems}
        total = max(sum(weights.values()), 1e-6)
        held = [kind for kind in question.kinds if holds_kind(kind, said)]
        rows.append(
            (
                (similarity - center) / spread,
                similarity - top,
                best_of_chunk[passage.id, sentence.chunk] - top,
                (passage.similarity or 0.0) - best_entry,
                float(places[passage.id]),
                passage.rank / top_rank,
                similarity - best_of_entry[passage.id],
                _neighbour(found, similarities, at, -1) - top,
                _neighbour(found, similarities, at, 1) - top,
                float(bool(said.numbers)),
                float(len(sentence.text.split()) < 4),
                _share(weights, said.stems, total),
                _share(weights, said.stems | above.stems, total),
                _share(weights, whole | above.stems, total),
                float(_missing(weights, whole | above.stems)),
                float(passage.language == language),
                float(bool(held)),
                float(bool(question.kinds) and not held),
                log(1 + len(sentence.text.split())),
                float(": " in sentence.text),
                float(sentence.text.rstrip().endswith("?")),
                float(at == 0 or found[at - 1].passage is not passage),
                float(bool(asked.numbers & (said.numbers | above.numbers))),
                float(_conflict(asked.numbers, said.numbers | above.numbers)),
                float(_conflict(asked.numbers, title.numbers)),
                len(title.stems & asked.stems) / max(len(title.stems), 1),
                float(sentence.similarity is None),
                *_of_names(asked, said, above, title),
                _share_of_all(rarity, asked.stems, whole | above.stems, log(1 + len(found))),
            )
        )
    return found, np.array(rows)


def _of_names(asked: Terms, said: Terms, above: Terms, title: Terms) -> tuple[float, ...]:
    """Return features that measure how well the names and numbers in the question match those in
    the sentence."""
    shared = asked.labelled & (said.labelled | above.labelled)
    words = {word for word, _ in said.labelled - asked.labelled}
    named = said.named | above.named
    units = {number.partition(" ")[2] for number in said.numbers}
    return (
        float(bool({word for word, _ in asked.labelled - said.labelled} & words)),
        float(bool(shared)),
        float(bool(asked.named & named)),
        float(bool(asked.named - named - title.named)),
        float(bool(asked.measured - said.stems - above.stems - units)),
        float(len(asked.numbers - said.numbers - above.numbers)),
        float(_conflict(asked.numbers, said.numbers)),
    )


def _neighbour(found: Sequence[Candidate], similarities: Floats, at: int, step: int) -> float:
    """Return the similarity of the neighboring sentence. If there is no neighbor in the same entry,
    return the sentence's own similarity."""
    other = at + step
    inside = 0 <= other < len(found) and found[other].passage is found[at].passage
    return float(similarities[other if inside else at])


def _chunk_terms(found: Sequence[Candidate]) -> dict[tuple[str, int], frozenset[str]]:
    held: dict[tuple[str, int], set[str]] = {}
    for one in found:
        stems = terms(one.sentence.text, one.passage.language).stems
        held.setdefault((one.passage.id, one.sentence.chunk), set()).update(stems)
    return {key: frozenset(stems) for key, stems in held.items()}


def _rarities(found: Sequence[Candidate]) -> dict[str, float]:
    """Return the rarity of each stem among the sentences. A stem that occurs in every sentence has
    a rarity close to 0."""
    seen: Counter[str] = Counter()
    for one in found:
        above = f"{one.passage.title} {one.sentence.heading}"
        seen.update(
            terms(one.sentence.text, one.passage.language).stems
            | terms(above, one.passage.language).stems
        )
    return {stem: log((1 + len(found)) / count) for stem, count in seen.items()}


def _share(weights: dict[str, float], stems: frozenset[str], total: float) -> float:
    return sum(weight for stem, weight in weights.items() if stem in stems) / total


def _share_of_all(
    rarity: dict[str, float], asked: frozenset[str], stems: frozenset[str], unknown: float
) -> float:
    """Return the fraction of the question's words that the text covers, weighted by rarity.
    `unknown` is the rarity of a word that occurs in no sentence."""
    weights = {stem: rarity.get(stem, unknown) for stem in asked}
    return _share(weights, stems, max(sum(weights.values()), 1e-6))


def _missing(weights: dict[str, float], stems: frozenset[str]) -> int:
    return sum(stem not in stems for stem in weights)


def _conflict(asked: frozenset[str], said: frozenset[str]) -> bool:
    """Return True if both texts contain numbers with the same unit, but no such number in
    common."""
    units = {number.partition(" ")[2] for number in asked} - {""}
    same = {number for number in said if number.partition(" ")[2] in units}
    return bool(same) and not same & asked
