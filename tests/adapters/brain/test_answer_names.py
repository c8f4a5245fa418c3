"""An answer about another product than the one asked about does not fit."""

from typing import Final

import pytest

from adapters.brain.answer_features import Candidate
from adapters.brain.answer_names import other_product
from domain.agent.brain import Passage, PassageSentence

# As in the shop of the evaluation: the entry about gloves also mentions overshoes.
SENTENCES: Final = (
    "Zips on Rhenia have a 2-year warranty.",
    "The index finger works on a touch screen in Paxi and Skyros.",
    "Les gants Paxi sont lavables à 30 °C.",
)
HEADING: Final = "Overshoes"


def found(*sentences: str) -> list[Candidate]:
    whole = tuple(
        PassageSentence(heading=HEADING, text=text, chunk=0, similarity=0.9) for text in sentences
    )
    passage = Passage(
        id="K1",
        title="Warranty of Skyros",
        body="\n".join(sentences),
        language="en",
        rank=1.0,
        similarity=0.9,
        sentences=whole,
    )
    return [Candidate(passage, one) for one in whole]


@pytest.mark.parametrize(
    ("question", "best", "is_other"),
    [
        ("How long is the warranty on the Paxi gloves?", 0, True),
        ("how long is the warranty on the paxi gloves?", 0, True),
        ("Does the Paxi work with a touch screen?", 1, False),
        ("Les gants PAXI sont-ils lavables ?", 2, False),
        # The title contains the name.
        ("How long is the warranty of Skyros?", 0, False),
        # A name that the shop's texts do not contain is no evidence.
        ("How long is the warranty on the Milos?", 0, False),
        ("How long is the warranty?", 0, False),
    ],
)
def test_the_name_in_the_question(question: str, best: int, is_other: bool) -> None:
    assert other_product(question, found(*SENTENCES), best) is is_other


def test_a_word_that_is_also_written_without_a_capital_is_no_name() -> None:
    sentences = ("Wash it at 30 °C.", "Use our Care Kit.", "Take care of the zip.")

    assert not other_product("How do I care for it?", found(*sentences), 0)


def test_a_capital_at_the_beginning_of_a_sentence_is_no_name() -> None:
    sentences = ("Returns are free.", "Delivery takes two days.")

    assert not other_product("Are returns and delivery free?", found(*sentences), 0)
