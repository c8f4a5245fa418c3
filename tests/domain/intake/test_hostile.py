"""The cost of hostile events: at most proportional to their size, and never high.

The work is counted, not timed: the steps used, and Python's calls.
"""

import sys

import pytest

from domain.core.effort import EVENT_STEPS, budget
from domain.intake.event import InboundEvent
from domain.intake.event_sender import claimed_customer
from domain.intake.normalization import normalize
from tests.support.intake.hostile import SHAPES

# A part of the whole event's budget: the agent must read it, too.
MOST_STEPS = EVENT_STEPS // 4
# The cost of any event, and a search that starts only in longer texts.
BASE_STEPS, BASE_CALLS = 300_000, 20_000


def _steps(event: InboundEvent) -> int:
    with budget() as effort:
        normalize(event, fallback_ticket_id="x", authserv_ids=("mx.example",))
    return effort.spent


def _calls(event: InboundEvent) -> int:
    made = 0

    def count(_frame: object, kind: str, _argument: object) -> None:
        nonlocal made
        made += kind in {"call", "c_call"}

    # The coverage tool may have set one.
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        normalize(event, fallback_ticket_id="x")
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_grow_with_the_size_and_not_faster(shape: str) -> None:
    once, twice, four_times = (_steps(SHAPES[shape].event(part / 32)) for part in (1, 2, 4))

    assert once
    assert twice <= 2.25 * once + BASE_STEPS
    assert four_times <= 4.5 * once + BASE_STEPS


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_work_is_bounded_at_full_size(shape: str) -> None:
    events = [SHAPES[shape].event(part / 4) for part in (1, 2, 4)]

    once, twice, four_times = map(_steps, events)

    assert twice <= 2.25 * once + BASE_STEPS
    assert four_times <= min(4.5 * once + BASE_STEPS, MOST_STEPS)
    # Every channel produces a result.
    for event_type in ("zendesk.ticket", "widget.message", "shopify.order"):
        other = events[0].model_copy(update={"event_type": event_type})
        assert normalize(other, fallback_ticket_id="x").ticket_id == "x"


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_calls_grow_with_the_size_and_not_faster(shape: str) -> None:
    events = [SHAPES[shape].event(part / 32) for part in (1, 2, 4)]
    normalize(events[0], fallback_ticket_id="x")

    once, twice, four_times = map(_calls, events)

    assert twice <= 2.25 * once + BASE_CALLS
    assert four_times <= 4.5 * once + BASE_CALLS


@pytest.mark.parametrize("shape", [name for name in SHAPES if "address" in name or "pairs" in name])
def test_the_head_of_a_mail_costs_little_at_the_door(shape: str) -> None:
    event = SHAPES[shape].event()

    with budget() as effort:
        claimed_customer(event)

    assert effort.spent < 200_000


def test_a_number_that_python_refuses_to_read() -> None:
    html = "<" * 20_001 + "Bonjour &#" + "0" * 10_000 + "; où est mon colis ? &#233;"
    event = InboundEvent(event_type="email.x", payload={"html_body": html})

    assert "où est mon colis ? é" in normalize(event, fallback_ticket_id="x").text
