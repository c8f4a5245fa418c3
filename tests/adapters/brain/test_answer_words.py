"""The terms by which questions and sentences are compared, and answers that need a human."""

import pytest

from adapters.brain.answer_words import read_question, terms
from adapters.brain.answers import AnswerModel
from domain.agent.brain import Passage, PassageSentence


def sunscreen(*sentences: str, title: str = "Sun care: which factor?") -> Passage:
    return Passage(
        id="sun",
        title=title,
        body="\n".join(sentences),
        language="en",
        rank=1.0,
        similarity=0.9,
        sentences=tuple(
            PassageSentence(heading="", text=text, chunk=0, similarity=0.9) for text in sentences
        ),
    )


MODEL = AnswerModel.load()


@pytest.mark.parametrize(
    ("question", "sentence", "fits"),
    [
        ("How much is the SPF 30 body milk?", "Body milk SPF 30: €26, 150 ml", True),
        ("How much is the SPF 50 body milk?", "Body milk SPF 30: €26, 150 ml", False),
        ("Does the towel come in purple?", "The towel comes in blue and in white.", False),
        ("Does the towel come in blue?", "The towel comes in blue and in white.", True),
        ("What does delivery to Germany cost?", "Delivery to Belgium costs €6.50.", False),
        ("What does delivery to Belgium cost?", "Delivery to Belgium costs €6.50.", True),
        ("How much is the towel and how do I wash it?", "The towel costs €12.", False),
        ("Two things. The price of the towel, the size?", "The towel costs €12.", False),
        ("Why does the towel cost €12?", "The towel costs €12.", False),
    ],
)
def test_an_answer_about_another_thing_does_not_fit(
    question: str, sentence: str, *, fits: bool
) -> None:
    chosen = MODEL.choose(question, "en", [sunscreen(sentence, title="Bath and sun")])
    assert chosen is not None
    assert chosen.fits is fits


def test_a_currency_belongs_to_the_number_behind_it() -> None:
    read = terms("Body milk SPF 30: €26, 150 ml, or £22.50", "en")
    assert read.numbers == {"30", "26 eur", "150 ml", "22.50 gbp"}
    assert read.labelled == {("spf", "30")}


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("How long does delivery take?", False),
        ("How long does delivery take and what does it cost?", True),
        ("Quel est le délai ? Et combien ça coûte ?", True),
        ("My son and I would like to know when it leaves", False),
    ],
)
def test_a_second_question_is_seen(text: str, *, joined: bool) -> None:
    assert read_question(text).joined is joined


@pytest.mark.parametrize(
    ("text", "measured"),
    [
        ("How many litres does it hold?", {"l"}),
        ("combien de caféine dans le matcha", {"cafein"}),
        ("when do you open", set[str]()),
    ],
)
def test_what_is_counted_is_read(text: str, measured: set[str]) -> None:
    assert read_question(text).terms["en" if "do" in text else "fr"].measured == measured
