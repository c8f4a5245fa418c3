"""How the embedded brain answers from the shop's knowledge."""

import pytest

from adapters.brain.answers import AnswerModel
from adapters.brain.knowledge import LIKELY_PROBABILITY
from adapters.brain.relevance import EXCERPT_LIMIT, excerpt, read_question
from domain.agent.brain import Category, PassageSentence
from domain.agent.escalation_reason import EscalationReason
from tests.support.agent.embedded_brain import (
    ONE_PER_CLASS,
    THRESHOLD,
    ask,
    assert_no_source,
    passage,
)


async def test_another_languages_passage_is_not_translated() -> None:
    english = passage("Jacket size", "The jacket size runs small.")
    text = "Jacket size : quelle taille prendre pour cette veste, est-ce que ça taille grand ?"

    answer = await ask(text, passages=[english])

    assert answer.language == "fr"
    assert_no_source(answer)
    assert answer.doubt is EscalationReason.MISSING_KNOWLEDGE


async def test_the_customers_language_is_preferred() -> None:
    answer = await ask(
        "Is the jacket waterproof?",
        passages=[
            passage("Jacket waterproof", "Veste waterproof.", "fr", "fr", rank=0.9),
            passage("Is the jacket waterproof?", "The jacket is waterproof.", "en", "en"),
        ],
    )

    assert [citation.id for citation in answer.citations] == ["en"]
    assert answer.response.startswith("Hello,")


SIZES = passage("Jacket sizes", "Our jackets run small: choose one size up.", passage_id="sizes")


async def test_a_product_question_is_answered_from_knowledge_first() -> None:
    answer = await ask("Do your jackets run small?", templates=ONE_PER_CLASS, passages=[SIZES])

    assert answer.classification is Category.PRODUCT_QUESTION
    assert [(c.kind, c.id) for c in answer.citations] == [("knowledge", "sizes")]
    assert "Our jackets run small: choose one size up." in answer.response
    assert answer.confidence >= THRESHOLD


async def test_an_order_status_is_answered_from_its_template_first() -> None:
    tracking = passage("Where is my order", "Your order can be tracked in your account.")

    both = await ask("Where is my order?", templates=ONE_PER_CLASS, passages=[tracking])
    alone = await ask("Where is my order?", passages=[tracking])

    assert both.citations[0].kind == "template"
    assert alone.citations[0].kind == "knowledge"


@pytest.mark.parametrize(
    "text",
    [
        "Is the lamp dimmable?",
        "Is the kettle compatible with induction?",
        "Can I put the wool blanket in the dryer?",
    ],
)
async def test_a_passage_on_something_else_is_no_answer(text: str) -> None:
    answer = await ask(text, passages=[SIZES])

    assert_no_source(answer)
    assert answer.citations == ()
    assert answer.doubt is EscalationReason.MISSING_KNOWLEDGE
    assert answer.confidence <= 0.30


async def test_a_near_miss_is_for_a_human() -> None:
    nova = passage("Battery life of the Nova lamp", "The Nova lamp lasts 12 hours on one charge.")

    right = await ask("How long does the battery of the Nova lamp last?", passages=[nova])
    wrong = await ask("How long does the battery of the Luna lamp last?", passages=[nova])

    assert right.confidence >= THRESHOLD
    assert wrong.confidence < THRESHOLD


async def test_the_passage_that_covers_most_wins_and_rank_decides_between_equals() -> None:
    near = passage("Jackets", "They are warm.", passage_id="near", rank=0.9)
    twin = SIZES.model_copy(update={"id": "twin", "rank": 0.8})

    answer = await ask("Do your jackets run small?", passages=[near, SIZES, twin])

    assert answer.citations[0].id == "twin"


async def test_a_new_entry_answers_beside_one_that_is_embedded() -> None:
    """A new entry has no embedding until the next sweep. This made the demo fail."""
    text = "The parcel takes 3 days and costs €4."
    sentence = PassageSentence(heading="", text=text, chunk=0, similarity=0.8)
    embedded = passage("Shipping times", text, passage_id="shipping", rank=0.9).model_copy(
        update={"similarity": 0.8, "sentences": (sentence,)}
    )

    answer = await ask("Do your jackets run small?", passages=[embedded, SIZES])

    assert [citation.id for citation in answer.citations] == ["sizes"]
    assert answer.confidence >= THRESHOLD


async def test_a_new_entry_does_not_outvote_an_answer_by_meaning() -> None:
    """Keyword matches alone sent wrong answers. If another entry is a likely answer, a human
    decides."""
    text = "How long does the battery of the Nova lamp last?"
    answer = "It runs for 12 hours."
    sentence = PassageSentence(heading="", text=answer, chunk=0, similarity=0.85)
    embedded = passage("Nova lamp", answer, passage_id="old", rank=0.9).model_copy(
        update={"similarity": 0.85, "sentences": (sentence,)}
    )
    new = passage(
        "Battery of the Nova lamp", "The battery of the Nova lamp lasts long.", passage_id="new"
    )
    chosen = AnswerModel.load().choose(text, "en", [embedded])
    assert chosen is not None
    assert not chosen.is_sure
    assert chosen.probability >= LIKELY_PROBABILITY

    assert (await ask(text, passages=[embedded, new])).confidence < THRESHOLD


async def test_an_empty_passage_is_no_answer() -> None:
    answer = await ask("Do your jackets run small?", passages=[passage("Jackets run small", " ")])

    assert_no_source(answer)


async def test_braces_in_knowledge_are_quoted_as_they_are() -> None:
    odd = passage("Jacket sizes {0}", "Jackets run small {brand} {{ order_number }}.")

    answer = await ask("Do your jackets run small?", passages=[odd], fields={"order_number": "7"})

    assert "{brand} {{ order_number }}" in answer.response


def test_an_excerpt_is_whole_sentences_around_the_answer() -> None:
    filler = "This sentence speaks of the weather. " * 60
    answer = "The Nova battery lasts twelve hours."

    found = excerpt(read_question("Nova battery?"), filler + answer + " " + filler)

    assert answer in found
    assert len(found) <= EXCERPT_LIMIT
    assert found.endswith(".")
    assert found.startswith(("This sentence", answer))


def test_a_sentence_too_long_is_cut_between_words() -> None:
    found = excerpt(read_question("word?"), "word " * 400)

    assert len(found) <= EXCERPT_LIMIT
    assert found.endswith("word…")


@pytest.mark.parametrize(
    "text",
    [
        "I don't want a refund for order 1042, I just want to know how to wash the linen blanket",
        "Hello! I am Ann. No refund please, how do I wash the linen blanket?",
    ],
)
async def test_what_is_not_wanted_does_not_stand_in_the_way(text: str) -> None:
    care = passage("Washing the linen blanket", "The linen blanket is washed at 30 °C.")

    answer = await ask(text, templates=ONE_PER_CLASS, passages=[care])

    assert answer.citations[0].id == "p1"
    assert answer.confidence >= THRESHOLD
    assert answer.proposals == ()
