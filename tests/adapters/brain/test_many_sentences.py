"""Passages of many sentences: only the nearest are compared with a message."""

from adapters.brain.answer_features import (
    MOST_CANDIDATE_CHARS,
    MOST_CANDIDATES,
    candidates_of,
    compared_candidates,
)
from adapters.brain.answer_words import read_question
from adapters.brain.answers import AnswerModel
from domain.agent.brain import Passage, PassageSentence
from domain.content.chunks import chunks_of
from domain.core.effort import EVENT_STEPS, budget
from evaluation.help_shop import SHOPS, read_articles
from store.content.knowledge_search import MAX_PASSAGE_SENTENCES, MAX_PASSAGES

QUESTION = "How much is the lamp with the red shade?"
MODEL = AnswerModel.load()


def passages(sentences: int, text: str = "The lamp {} is blue.") -> list[Passage]:
    return [
        Passage(
            id=f"p{entry}",
            title=f"Lamp {entry}",
            body="We sell lamps.",
            language="en",
            rank=1.0,
            similarity=0.5,
            sentences=tuple(
                PassageSentence(
                    heading="Lamps",
                    text=text.format(f"{entry}x{place}"),
                    chunk=place // 10,
                    similarity=(place * 7 % sentences) / sentences,
                )
                for place in range(sentences)
            ),
        )
        for entry in range(MAX_PASSAGES)
    ]


def test_the_cost_of_a_message_does_not_grow_with_its_passages() -> None:
    """4,000 sentences took 1.9 s of CPU in one step."""
    spent = []
    for sentences in (MAX_PASSAGE_SENTENCES, 500):
        with budget() as effort:
            assert MODEL.choose(QUESTION, "en", passages(sentences)) is not None
        spent.append(effort.spent)
    assert spent[1] < 2 * spent[0] < EVENT_STEPS / 10


def test_each_sentence_costs_steps() -> None:
    with budget() as effort:
        MODEL.choose(QUESTION, "en", passages(10))
    assert effort.spent > 10 * MAX_PASSAGES * 1_000


def test_the_most_similar_sentences_are_kept_in_order() -> None:
    found = candidates_of(passages(100))
    kept = compared_candidates(read_question(QUESTION), found)

    assert len(kept) == MOST_CANDIDATES
    assert kept == [one for one in found if one in kept]
    least = min(one.sentence.similarity or 0 for one in kept)
    assert all((one.sentence.similarity or 0) <= least for one in found if one not in kept)


def test_long_sentences_are_limited_by_their_characters() -> None:
    found = candidates_of(passages(4, text="{} " + "lamp " * 1_000))
    kept = compared_candidates(read_question(QUESTION), found)
    assert 0 < sum(len(one.sentence.text) for one in kept) <= MOST_CANDIDATE_CHARS


def test_sentences_without_embeddings_are_ranked_by_their_words() -> None:
    texts = [*(f"Row {number}." for number in range(300)), "The red lamp is 30 euros."]
    passage = Passage(
        id="p",
        title="Prices",
        body="\n".join(texts),
        language="en",
        rank=1.0,
        sentences=tuple(PassageSentence(heading="", text=text, chunk=0) for text in texts),
    )

    kept = compared_candidates(read_question(QUESTION), candidates_of([passage]))

    assert len(kept) == MOST_CANDIDATES
    assert kept[-1].sentence.text == texts[-1]


def test_the_shops_of_the_evaluation_stay_below_the_limits() -> None:
    """No answer of the evaluation depends on the limits."""
    for shop in sorted(one.name for one in SHOPS.iterdir()):
        for language in ("fr", "en"):
            entries = [
                [text for chunk in chunks_of(one.body) for text in chunk.sentences]
                for one in read_articles(shop)
                if one.language == language
            ]
            counts = sorted(map(len, entries), reverse=True)
            sizes = sorted((sum(map(len, one)) for one in entries), reverse=True)
            assert counts[0] <= MAX_PASSAGE_SENTENCES
            assert sum(counts[:MAX_PASSAGES]) <= MOST_CANDIDATES
            assert sum(sizes[:MAX_PASSAGES]) <= MOST_CANDIDATE_CHARS
