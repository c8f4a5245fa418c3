"""A name below a message is no wish: who signs is answered like who does not."""

import pytest

from domain.agent.brain import BrainRequest, Category, Template
from domain.agent.intent import Intent
from tests.support.agent.embedded_brain import BRAIN

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
