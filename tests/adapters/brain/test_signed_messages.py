"""A signature below a message is not an intent, and does not change the answer."""

from typing import Final

import pytest

from domain.agent.brain import BrainRequest, Category, Passage, PassageSentence, Template
from domain.agent.intent import Intent
from tests.support.agent.embedded_brain import BRAIN, passage

ASKED = "Hello,\n\nWhere is my order number 1042? Has it been shipped?"
TRACKING = Template(
    id="t",
    name="Order tracking",
    category=Category.ORDER_STATUS,
    language="en",
    body="You can follow your order {{ order_number }} here.",
    intent=Intent.TRACK_ORDER,
)


def request(text: str) -> BrainRequest:
    return BrainRequest(
        text=text,
        subject="Where is my order 1042?",
        brand_name="Maison Test",
        fields={"order_number": "1042"},
        templates=(TRACKING,),
    )


@pytest.mark.parametrize(
    "name", ["", "\n\nEmma", "\nEmma Clark", "\nJean-Paul D'Arcy", "\nÉlodie."]
)
async def test_a_signature_takes_nothing_from_a_question(name: str) -> None:
    answer = await BRAIN.think(request(ASKED + name))

    assert answer.response
    assert answer.confidence >= 0.7


@pytest.mark.parametrize(
    "line", ["\nGift cards", "\nRefund", "\nand my invoice?", "\nzebra crossing"]
)
async def test_a_line_that_is_no_name_still_counts(line: str) -> None:
    answer = await BRAIN.think(request(ASKED + line))

    assert answer.confidence < 0.7 or not answer.response


PRICE: Final = "La livraison express en 24 heures coûte 9,90 €."


def found_by_meaning() -> Passage:
    sentence = PassageSentence(heading="Livraison", text=PRICE, chunk=0, similarity=0.894)
    found = passage("Livraison", PRICE, "fr")
    return found.model_copy(update={"similarity": 0.894, "sentences": (sentence,)})


@pytest.mark.parametrize("signed", ["Rose", "Rose Garnier", "ROSE GARNIER,"])
async def test_the_senders_name_takes_nothing_from_an_answer_found_by_meaning(signed: str) -> None:
    """A name other than the sender's may be the product that the question is about."""
    asked = BrainRequest(
        text=f"Bonjour,\n\nCombien coûte la livraison express ?\n\n{signed}",
        brand_name="Maison Test",
        passages=(found_by_meaning(),),
        sender_name="Rose Garnier",
    )

    own = await BRAIN.think(asked)
    other = await BRAIN.think(asked.model_copy(update={"sender_name": "Paul"}))

    assert PRICE in own.response
    assert own.confidence > 0.7 > other.confidence
