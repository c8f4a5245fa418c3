"""Reasons to hold an answer, and messages that need none."""

from typing import Final

import pytest

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Passage, Proposal
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.agent.policy_decision import PolicyReason
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking import think_through
from domain.agent.thinking_result import ThinkingResult
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup, LookupState
from domain.runs.run import RunDraft, review_reason
from tests.support.agent.policy import REFUND, ruling
from tests.support.agent.policy_context import DESK, FREE_HAND, NOW, SHOP, an_event, an_order

THRESHOLD: Final = 0.7
HELLO: Final = an_event(text="Hello there", numbers=())
ANSWER: Final = BrainAnswer(
    classification=Category.OTHER,
    confidence=0.95,
    language="en",
    response="Hello, thank you for your message.",
    model="fake",
)


class FixedBrain:
    """Returns the same answer for every message; `requests` records the inputs."""

    def __init__(self, answer: BrainAnswer = ANSWER) -> None:
        self.answer = answer
        self.requests: list[BrainRequest] = []

    async def think(self, request: BrainRequest) -> BrainAnswer:
        self.requests.append(request)
        return self.answer


async def thought(
    event: UnifiedEvent, brain: FixedBrain | None = None, **more: object
) -> ThinkingResult:
    given: dict[str, object] = {
        "brand_name": "Maison Test",
        "rulebook": FREE_HAND,
        "templates": (),
        "passages": (),
        "connections": (SHOP, DESK),
        "run_id": "RUN",
        **more,
    }
    return await think_through(brain or FixedBrain(), BrainContext(event=event, **given), NOW)  # type: ignore[arg-type]


def waits_for(result: ThinkingResult) -> EscalationReason | None:
    return review_reason(RunDraft.of(result), THRESHOLD)


async def test_an_answer_without_a_doubt_is_sent() -> None:
    assert waits_for(await thought(HELLO)) is None


FROM_KNOWLEDGE: Final = ANSWER.model_copy(
    update={
        "response": "Delivery takes three days.",
        "citations": (Citation(kind="knowledge", id="K1", title="Delivery"),),
    }
)
DELIVERY: Final = (
    Passage(id="K1", title="Delivery", body="Delivery takes three days.", language="en", rank=1.0),
)


@pytest.mark.parametrize(
    ("answer", "setting", "reason"),
    [
        (FROM_KNOWLEDGE, True, None),
        (FROM_KNOWLEDGE, False, EscalationReason.POLICY_RESTRICTION),
        # A language model composes its own answers: the setting does not apply.
        (FROM_KNOWLEDGE.model_copy(update={"prompt_version": "7"}), False, None),
        # Templates keep their rules.
        (ANSWER, False, None),
        (
            ANSWER.model_copy(
                update={"citations": (Citation(kind="template", id="T1", title="Hello"),)}
            ),
            False,
            None,
        ),
    ],
)
async def test_an_answer_from_knowledge_waits_where_the_client_has_it_so(
    answer: BrainAnswer, setting: bool, reason: EscalationReason | None
) -> None:
    result = await thought(
        HELLO, FixedBrain(answer), passages=DELIVERY, answers_from_knowledge=setting
    )

    assert waits_for(result) is reason
    assert result.text == answer.response


async def test_after_so_many_answers_in_an_hour_people_do() -> None:
    assert waits_for(await thought(HELLO, turns_left=1)) is None
    assert waits_for(await thought(HELLO, turns_left=0)) is EscalationReason.POLICY_RESTRICTION


@pytest.mark.parametrize("text", ["", "  \n\t "])
async def test_a_blank_message_is_drafted_by_no_brain(text: str) -> None:
    blank = an_event(text=text, numbers=()).model_copy(update={"subject": None})
    brain = FixedBrain()
    result = await thought(blank, brain)

    assert (brain.requests, result.text) == ([], "")
    assert waits_for(result) is EscalationReason.UNSUPPORTED_REQUEST

    await thought(blank.model_copy(update={"subject": "Where is my order?"}), brain)
    assert len(brain.requests) == 1


async def test_what_closes_an_exchange_needs_neither_answer_nor_people() -> None:
    unsure = {"closes": True, "response": "", "confidence": 0.1}
    brain = FixedBrain(ANSWER.model_copy(update=unsure))

    result = await thought(an_event(text="Merci, tout est parfait !", numbers=()), brain)

    assert (result.plan, result.text, waits_for(result)) == ((), "", None)


@pytest.mark.parametrize(
    ("text", "words", "matter"),
    [
        ("Mon enfant s'est coupé avec le vase, il est à l'hôpital", (), SensitiveMatter.HEALTH),
        ("Je porte plainte à la police", (), SensitiveMatter.LEGAL),
        ("Is my lamp part of the bluebird recall?", ("Bluebird recall",), SensitiveMatter.OWN),
    ],
)
async def test_some_matters_reach_people_and_no_brain(
    text: str, words: tuple[str, ...], matter: SensitiveMatter
) -> None:
    brain = FixedBrain()

    result = await thought(an_event(text=text, numbers=()), brain, sensitive_words=words)

    assert brain.requests == []
    assert (result.sensitive, result.text) == (matter, "")
    assert waits_for(result) is EscalationReason.POLICY_RESTRICTION


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"categories": (Category.ORDER_STATUS,)}, PolicyReason.WRONG_CATEGORY),
        ({"intents": (Intent.TRACK_ORDER,)}, PolicyReason.WRONG_INTENT),
    ],
)
async def test_categories_and_intents_hold_for_answers_too(
    rule: dict[str, object], reason: PolicyReason
) -> None:
    """The answer remains a draft that a reviewer can send."""
    reply = ActionRule.model_validate({"level": ActionLevel.AUTONOMOUS, **rule})
    rulebook = Rulebook(actions={ActionKind.REPLY_IN_HELPDESK: reply})

    result = await thought(HELLO, rulebook=rulebook)

    assert waits_for(result) is EscalationReason.POLICY_RESTRICTION
    assert ruling(result.judgement, ActionKind.REPLY_IN_HELPDESK)[1] is reason
    assert result.text == ANSWER.response


async def test_a_question_is_not_asked_beside_another_wish() -> None:
    """A customer with another question would not get an answer to it."""
    asked = ANSWER.model_copy(
        update={
            "proposals": (Proposal(kind=REFUND),),
            "intents": (Intent.REFUND, Intent.GIFT_CARD),
            "classification": Category.REFUND_REQUEST,
        }
    )
    event = an_event(text="I want a refund.", numbers=())
    latest = Lookup(state=LookupState.FOUND, order=an_order())

    alone = asked.model_copy(update={"intents": (Intent.REFUND,)})
    both = await thought(event, FixedBrain(asked), lookup=latest)
    one = await thought(event, FixedBrain(alone), lookup=latest)

    assert waits_for(both) is EscalationReason.LOW_CONFIDENCE
    assert waits_for(one) is None
    assert one.thread.asked_number is REFUND
