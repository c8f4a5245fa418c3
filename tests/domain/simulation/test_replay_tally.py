"""How two outcomes differ, and sums that do not depend on pagination."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.plan import ActionKind, PlannedAction
from domain.core.money import Money
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome
from domain.simulation.replay_facts import (
    ReplayChangeKind,
    ReplayEnd,
    ReplayFacts,
    difference,
    end_of,
)
from domain.simulation.replay_tally import ReplaySkip, ReplayTally

EUROS = Money(minor=4_900, currency="EUR")
REFUND = PlannedAction(kind=ActionKind.REFUND, amount=EUROS)
REPLY = PlannedAction(kind=ActionKind.REPLY)


def facts(
    end: ReplayEnd, minor: int = 0, classification: str = "other", *actions: ActionKind
) -> ReplayFacts:
    money = Money(minor=minor, currency="EUR") if minor else None
    return ReplayFacts(end=end, classification=classification, actions=actions, money=money)


ANSWERED, REVIEWED = facts(ReplayEnd.ANSWERED), facts(ReplayEnd.REVIEWED)
REFUNDED, TAKEN = facts(ReplayEnd.REFUNDED, 4_900), facts(ReplayEnd.NO_PLAYBOOK)
CASES = [
    (ANSWERED, ANSWERED, None),
    (ANSWERED, REFUNDED, ReplayChangeKind.REFUND_ADDED),
    (REFUNDED, REVIEWED, ReplayChangeKind.REFUND_REMOVED),
    (REFUNDED, facts(ReplayEnd.REFUNDED, 100), ReplayChangeKind.OTHER_AMOUNT),
    # A human approves it, so that no money moves automatically.
    (facts(ReplayEnd.REVIEWED, 4_900), REVIEWED, None),
    (
        facts(ReplayEnd.REVIEWED, 4_900),
        facts(ReplayEnd.REVIEWED, 100),
        ReplayChangeKind.OTHER_AMOUNT,
    ),
    (facts(ReplayEnd.REVIEWED, 4_900), REFUNDED, ReplayChangeKind.REFUND_ADDED),
    (ANSWERED, REVIEWED, ReplayChangeKind.NOW_REVIEWED),
    (REVIEWED, ANSWERED, ReplayChangeKind.NOW_ANSWERED),
    (TAKEN, REVIEWED, ReplayChangeKind.NOW_TAKEN),
    (ANSWERED, TAKEN, ReplayChangeKind.NO_LONGER_TAKEN),
    (ANSWERED, facts(ReplayEnd.FAILED), ReplayChangeKind.NOW_FAILED),
    (
        ANSWERED,
        facts(ReplayEnd.ANSWERED, 0, "other", ActionKind.TAG),
        ReplayChangeKind.OTHER_ACTION,
    ),
    (ANSWERED, facts(ReplayEnd.ANSWERED, 0, "complaint"), ReplayChangeKind.OTHER_CLASS),
]


@pytest.mark.parametrize(
    ("before", "after", "kind"), CASES, ids=[f"{n}-{case[2]}" for n, case in enumerate(CASES)]
)
def test_the_gravest_difference_counts(
    before: ReplayFacts, after: ReplayFacts, kind: ReplayChangeKind | None
) -> None:
    assert difference(before, after, same_text=True) is kind
    assert difference(before, after, same_text=False) is (kind or ReplayChangeKind.OTHER_ANSWER)


@pytest.mark.parametrize(
    ("status", "plan", "end"),
    [
        (OutcomeStatus.COMPLETED, (REFUND, REPLY), ReplayEnd.REFUNDED),
        (OutcomeStatus.COMPLETED, (REPLY,), ReplayEnd.ANSWERED),
        (OutcomeStatus.COMPLETED, (), ReplayEnd.ANSWERED),
        (OutcomeStatus.NEEDS_REVIEW, (REFUND, REPLY), ReplayEnd.REVIEWED),
        (OutcomeStatus.NO_PLAYBOOK, (), ReplayEnd.NO_PLAYBOOK),
        (OutcomeStatus.BRAIN_FAILED, (), ReplayEnd.FAILED),
    ],
)
def test_each_outcome_has_an_end(
    status: OutcomeStatus, plan: tuple[PlannedAction, ...], end: ReplayEnd
) -> None:
    assert end_of(status, plan) is end
    told = ReplayFacts.of(SimulatedOutcome(status=status, plan=plan, draft="Bonjour Léa"))
    assert told.end is end
    assert (told.given_back == EUROS) is (end is ReplayEnd.REFUNDED)
    assert "Léa" not in told.model_dump_json()


_FACTS = st.sampled_from([ANSWERED, REVIEWED, REFUNDED, TAKEN])
_ONE = st.one_of(
    st.builds(
        lambda before, after: ReplayTally.of_event(
            before, after, difference(before, after, same_text=True)
        ),
        _FACTS,
        _FACTS,
    ),
    st.sampled_from(ReplaySkip).map(ReplayTally.of_skipped),
)


@given(st.lists(_ONE, max_size=12), st.integers(0, 12), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_pages_or_order(
    parts: list[ReplayTally], cut: int, random: Random
) -> None:
    whole = ReplayTally.total(parts)
    shuffled = list(parts)
    random.shuffle(shuffled)

    assert ReplayTally.total(shuffled) == whole
    halves = (ReplayTally.total(parts[:cut]), ReplayTally.total(parts[cut:]))
    assert ReplayTally.total(halves) == whole
    assert whole.events == len(parts)
    assert ReplayTally.model_validate_json(whole.model_dump_json()) == whole
