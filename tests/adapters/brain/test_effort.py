"""The cost of the whole judgement for any text, in steps instead of seconds."""

from datetime import UTC, datetime
from time import process_time

import pytest

from adapters.brain.joined import _body as joined_body
from adapters.brain.relevance import read_question
from adapters.brain.safety_net import LearnedSafetyNet
from domain.agent.brain import BrainRequest, Category, Template
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.rulebook import Rulebook
from domain.agent.size_limits import READ_CHARS
from domain.agent.thinking import think_through
from domain.agent.thinking_result import ThinkingResult
from domain.core.effort import budget
from domain.intake.event import Channel, UnifiedEvent
from tests.support.agent.embedded_brain import BRAIN, ONE_PER_CLASS, passage
from tests.support.agent.hostile_text import PIECES, hostile_text

NOW = datetime(2026, 11, 22, tzinfo=UTC)
NET = LearnedSafetyNet.load()
# A share of EVENT_STEPS, the budget of one event.
MOST = 4_000_000
# Fixed costs that do not depend on the text's length: templates, passages, closing characters.
ALWAYS = 20_000


async def think(text: str, body: str = "We deliver within 5 days. Returns are free. ") -> int:
    """Return the steps that a message takes in addition to templates and two entries."""
    _, steps = await judged(text, body)
    return steps


async def judged(text: str, body: str = "") -> tuple[ThinkingResult, int]:
    context = BrainContext(
        event=UnifiedEvent(channel=Channel.API, text=text, subject="A question"),
        brand_name="Maison Test",
        rulebook=Rulebook(),
        templates=tuple(ONE_PER_CLASS),
        passages=(
            passage("Delivery", body, passage_id="p1"),
            passage("Livraison", body, language="fr", passage_id="p2"),
        ),
    )
    with budget() as effort:
        result = await think_through(BRAIN, context, NOW, NET)
    return result, effort.spent


@pytest.mark.parametrize("name", PIECES)
async def test_the_effort_grows_with_the_message_alone(name: str) -> None:
    one, two, four = [await think(hostile_text(name, size)) for size in (250, 500, 1_000)]

    assert two <= 2.25 * one + ALWAYS
    assert four <= 4.5 * one + ALWAYS


@pytest.mark.slow
@pytest.mark.parametrize("name", PIECES)
async def test_a_message_of_any_length_takes_a_part_of_the_budget(name: str) -> None:
    at_most = await think(hostile_text(name, READ_CHARS))
    beyond = await think(hostile_text(name, 100_000))

    assert at_most < MOST
    assert beyond < MOST


@pytest.mark.slow
@pytest.mark.parametrize("name", PIECES)
async def test_what_a_merchant_wrote_takes_a_part_of_the_budget_too(name: str) -> None:
    assert await think("How long does delivery take?", hostile_text(name, 20_000)) < MOST


@pytest.mark.parametrize(
    "text", ["Please refund order 1042. ", "Where is my order 1042? ", "The lamp is broken. "]
)
async def test_a_longer_message_is_left_to_people(text: str) -> None:
    longer = text + "It goes on. " * (READ_CHARS // 12)
    result, _ = await judged(longer)

    assert len(longer) > READ_CHARS
    assert result.hold is EscalationReason.LOW_CONFIDENCE
    assert result.judgement.question is None


async def test_a_sensitive_matter_is_found_in_what_is_read_of_a_longer_message() -> None:
    result, _ = await judged("I called my lawyer and the police. " + "It goes on. " * READ_CHARS)

    assert result.sensitive is not None
    assert result.hold is EscalationReason.POLICY_RESTRICTION


async def test_the_effort_does_not_grow_with_the_templates() -> None:
    words = [f"{one}{two}ing" for one in "bcdfghjklm" for two in ("alp", "ort", "und", "esk")]

    def templates(count: int) -> tuple[Template, ...]:
        return tuple(
            Template(
                id=f"t{number}",
                name=f"About {words[number % 40]}",
                category=Category.PRODUCT_QUESTION,
                language="en",
                body=f"Our {words[number % 40]} and {words[number % 37]} come in {number} colours.",
                not_for=("customs", f"{words[number % 31]} abroad"),
            )
            for number in range(count)
        )

    async def steps(count: int) -> int:
        text = "Which colours and sizes does the lamp come in? " + " ".join(words)
        request = BrainRequest(text=text, brand_name="Maison", templates=templates(count))
        await BRAIN.think(request)
        with budget() as effort:
            await BRAIN.think(request)
        return effort.spent

    assert await steps(1_000) <= 3 * await steps(10)


@pytest.mark.parametrize("mark", [".", "?!", "…", "\n", "\n\t", "\n \n", " "])
async def test_a_long_run_of_marks_is_read_once(mark: str) -> None:
    """An answer with 20,000 line breaks took a worker more than 30 seconds, which no step
    counted."""
    body = f"Delivery{mark * (20_000 // len(mark))}b"
    started = process_time()

    await think("How long does delivery take?" + mark * 1_000 + "b", body)
    joined_body(body, "Maison Test")
    read_question(body)

    assert process_time() - started < 2
