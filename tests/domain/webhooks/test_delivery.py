"""When a failed delivery is retried, and when it is not."""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.webhooks.delivery import DeliveryAttempt, FailureKind, Trigger, failure_of, phases_of
from domain.webhooks.retries import SCHEDULE, retry_in_s, says_gone
from domain.webhooks.webhook import RetryPolicy

FAILED: Final = DeliveryAttempt(FailureKind.HTTP_5XX, duration_ms=10, response_status=500)
STANDARD: Final = RetryPolicy.STANDARD
MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 24 * HOUR


def wait(attempt: DeliveryAttempt = FAILED, number: int = 1, randomness: float = 0) -> float | None:
    return retry_in_s(attempt, number, Trigger.EVENT, STANDARD, randomness)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (199, FailureKind.PROTOCOL),
        (200, None),
        (204, None),
        (299, None),
        (300, FailureKind.HTTP_3XX),
        (304, FailureKind.HTTP_3XX),
        (399, FailureKind.HTTP_3XX),
        (400, FailureKind.HTTP_4XX),
        (499, FailureKind.HTTP_4XX),
        (500, FailureKind.HTTP_5XX),
        (599, FailureKind.HTTP_5XX),
        (600, FailureKind.PROTOCOL),
        (999, FailureKind.PROTOCOL),
    ],
)
def test_what_an_answer_counts_as(status: int, kind: FailureKind | None) -> None:
    assert failure_of(status) is kind


def test_schedule() -> None:
    """The schedule of Standard Webhooks: ten attempts over about three days."""
    waits = [wait(number=number) for number in range(1, 12)]

    assert waits == [
        5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, DAY,
        None, None,
    ]  # fmt: skip


@given(number=st.integers(1, len(SCHEDULE)), randomness=st.floats(0, 1))
def test_jitter_only_adds_a_tenth(number: int, randomness: float) -> None:
    waited = wait(number=number, randomness=randomness)

    assert waited is not None
    assert SCHEDULE[number - 1] <= waited <= SCHEDULE[number - 1] * 1.1 + 1e-6
    assert wait(number=number, randomness=1) == pytest.approx(SCHEDULE[number - 1] * 1.1)


@pytest.mark.parametrize(
    ("retry_after_s", "number", "expected"),
    [
        (0, 1, 5),
        (2, 1, 5),
        (120, 1, 120),
        (120, 2, 5 * MINUTE),
        (HOUR, 3, HOUR),
        # No delivery is delayed by more than a day.
        (10 * DAY, 1, DAY),
        (10 * DAY, 9, DAY),
    ],
)
def test_retry_after_makes_it_later(retry_after_s: float, number: int, expected: float) -> None:
    busy = replace(FAILED, response_status=503, retry_after_s=retry_after_s)
    assert wait(busy, number) == expected


def test_no_retry_after_gives_one_try_more() -> None:
    assert wait(replace(FAILED, retry_after_s=1), len(SCHEDULE) + 1) is None


@pytest.mark.parametrize("status", [429, 502, 504])
def test_who_has_too_much_to_do_is_left_alone_for_a_minute(status: int) -> None:
    busy = replace(FAILED, response_status=status)

    assert wait(busy, 1) == MINUTE
    assert wait(busy, 2) == 5 * MINUTE
    assert wait(replace(busy, retry_after_s=90), 1) == 90


def test_gone() -> None:
    """Only for a webhook with retries; otherwise 410 is a failure like any 4xx."""
    gone = DeliveryAttempt(FailureKind.HTTP_4XX, duration_ms=10, response_status=410)

    assert says_gone(gone, STANDARD)
    assert wait(gone) is None
    assert not says_gone(gone, RetryPolicy.NONE)
    assert not says_gone(replace(gone, response_status=404), STANDARD)


@given(
    attempt=st.builds(
        DeliveryAttempt,
        failure=st.sampled_from(FailureKind),
        duration_ms=st.just(1),
        response_status=st.none() | st.integers(100, 999),
        retry_after_s=st.none() | st.floats(0, 1e6),
    ),
    number=st.integers(1, 12),
    randomness=st.floats(0, 1),
)
def test_never(attempt: DeliveryAttempt, number: int, randomness: float) -> None:
    """Nothing is retried without the policy, and a test never is."""
    for trigger in Trigger:
        assert retry_in_s(attempt, number, trigger, RetryPolicy.NONE, randomness) is None
    assert retry_in_s(attempt, number, Trigger.TEST, STANDARD, randomness) is None


@pytest.mark.parametrize("kind", sorted(FailureKind))
def test_a_replay_is_retried_as_an_event_is(kind: FailureKind) -> None:
    attempt = DeliveryAttempt(kind, duration_ms=1)
    assert retry_in_s(attempt, 1, Trigger.REPLAY, STANDARD, 0) == 5
    assert retry_in_s(attempt, 1, Trigger.EVENT, STANDARD, 0) == 5


@pytest.mark.parametrize(
    ("times", "phases"),
    [
        (
            (4, 31, 900, 950),
            [("dns", 0, 4), ("connect", 4, 27), ("waiting", 31, 869), ("rest", 900, 50)],
        ),
        ((4, 31, None, 10_000), [("dns", 0, 4), ("connect", 4, 27), ("waiting", 31, 9_969)]),
        ((4, None, None, 10_000), [("dns", 0, 4), ("connect", 4, 9_996)]),
        ((None, None, None, 12), [("dns", 0, 12)]),
        ((None, None, None, None), []),
    ],
)
def test_where_the_time_of_a_try_went(
    times: tuple[int | None, ...], phases: list[tuple[str, int, int]]
) -> None:
    assert [(one.name, one.begins_ms, one.took_ms) for one in phases_of(*times)] == phases
