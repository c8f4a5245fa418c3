"""Permitted changes to a conversation's triage."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.runs.errors import InvalidTriage
from domain.runs.triage import (
    MAX_TAG,
    MAX_TAGS,
    ConversationStatus,
    ConversationTriage,
    TriageChange,
)

NOW = datetime(2026, 11, 28, tzinfo=UTC)
BEFORE = ConversationTriage(assignee="anna", tags=("a",))


def test_what_is_not_given_stays() -> None:
    assert TriageChange().applied_to(BEFORE, NOW) == BEFORE
    closed = TriageChange(status=ConversationStatus.CLOSED).applied_to(BEFORE, NOW)
    assert closed == BEFORE.model_copy(update={"status": ConversationStatus.CLOSED})


def test_each_value_is_replaced() -> None:
    until = NOW + timedelta(days=1)
    change = TriageChange(ConversationStatus.SNOOZED, until, "", (" b  c ", "b c", "a"))
    after = change.applied_to(BEFORE, NOW)
    assert after == ConversationTriage(
        status=ConversationStatus.SNOOZED, snoozed_until=until, assignee=None, tags=("a", "b c")
    )


@pytest.mark.parametrize(
    "change",
    [
        TriageChange(ConversationStatus.SNOOZED),
        TriageChange(ConversationStatus.OPEN, NOW + timedelta(days=1)),
        TriageChange(None, NOW + timedelta(days=1)),
        TriageChange(ConversationStatus.SNOOZED, NOW),
        TriageChange(ConversationStatus.SNOOZED, NOW + timedelta(days=366)),
        TriageChange(
            ConversationStatus.SNOOZED,
            datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=12))),
        ),
        TriageChange(tags=(" ",)),
        TriageChange(tags=("x" * (MAX_TAG + 1),)),
        TriageChange(tags=tuple(f"t{n}" for n in range(MAX_TAGS + 1))),
    ],
)
def test_what_breaks_a_rule(change: TriageChange) -> None:
    with pytest.raises(InvalidTriage):
        change.applied_to(BEFORE, NOW)
