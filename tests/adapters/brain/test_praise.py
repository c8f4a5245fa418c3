"""How many messages with only thanks or praise are closed or answered, with the starters."""

from itertools import count

from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.content.starter_templates import starter_templates
from evaluation.message import LabelledMessage, Tone, read_messages
from tests.support.agent.embedded_brain import BRAIN, THRESHOLD

_IDS = count()
STARTERS = starter_templates(lambda: f"{next(_IDS):04}")
OF_THANKS = {one.id for one in STARTERS if one.intent is Intent.THANKS}
LEAST_SHARE = 0.9


def only_praises(message: LabelledMessage) -> bool:
    return message.category is Category.OTHER and message.tone is Tone.POSITIVE


async def is_thanked(message: LabelledMessage) -> bool:
    """Return whether the message is closed, or answered with the thanks template without a
    review."""
    given = await BRAIN.think(message.request.model_copy(update={"templates": STARTERS}))
    cited = {one.id for one in given.citations}
    return given.closes or (bool(cited & OF_THANKS) and given.confidence >= THRESHOLD)


async def test_most_praise_is_thanked_for_and_nothing_else_is() -> None:
    messages = read_messages()
    praise = [await is_thanked(one) for one in messages if only_praises(one)]
    others = [one for one in messages if not only_praises(one) and await is_thanked(one)]
    assert sum(praise) / len(praise) >= LEAST_SHARE
    # "D'accord, c'est noté" closes the conversation.
    assert [one.tone for one in others] == [Tone.NEUTRAL] * 2
    assert {one.category for one in others} == {Category.OTHER}
