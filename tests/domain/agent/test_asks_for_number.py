"""A model's reply that only asks for the order number, where no order was found."""

import pytest

from domain.agent.brain import BrainAnswer, Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.agent.thread import Thread
from domain.integrations.order import Lookup, LookupState
from tests.domain.agent.test_thinking import ANSWER, FixedBrain, thought, waits_for
from tests.support.agent.policy_context import an_event

UNNAMED = an_event(text="Where is it?", numbers=())
NAMED = an_event(text="Where is my order 1042?")
NONE = Lookup(state=LookupState.NOT_FOUND)


def asking(response: str = "Which order is it, please?") -> FixedBrain:
    answer: BrainAnswer = ANSWER.model_copy(
        update={
            "classification": Category.ORDER_STATUS,
            "response": response,
            "citations": (),
            "prompt_version": "7",
            "asks_order_number": True,
        }
    )
    return FixedBrain(answer)


async def test_it_is_sent_and_the_thread_waits_for_the_number() -> None:
    result = await thought(UNNAMED, asking(), has_shop=True, lookup=NONE)

    assert waits_for(result) is None
    assert result.thread.asked_number is ActionKind.REPLY


@pytest.mark.parametrize(
    ("event", "more"),
    [
        (NAMED, {"lookup": Lookup(state=LookupState.NOT_THEIRS, number="1042")}),
        (NAMED, {"lookup": Lookup(state=LookupState.NOT_FOUND, number="1042")}),
        (UNNAMED, {"lookup": Lookup(state=LookupState.UNAVAILABLE)}),
        (UNNAMED, {"lookup": NONE, "thread": Thread(asked_number=ActionKind.REPLY)}),
        (an_event(text="Where is it?", numbers=(), verified=False), {"lookup": NONE}),
    ],
    ids=["of somebody else", "unknown number", "shop is silent", "asked before", "not verified"],
)
async def test_it_is_held_if_the_number_is_of_no_use(
    event: object, more: dict[str, object]
) -> None:
    result = await thought(event, asking(), has_shop=True, **more)  # type: ignore[arg-type]

    assert waits_for(result) in (
        EscalationReason.MISSING_KNOWLEDGE,
        EscalationReason.TOOL_FAILURE,
    )


async def test_it_is_held_if_it_states_more() -> None:
    brain = asking("Your parcel is lost. Which order is it, please?")

    assert waits_for(await thought(UNNAMED, brain, has_shop=True, lookup=NONE)) is not None
