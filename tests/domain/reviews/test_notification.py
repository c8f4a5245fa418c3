"""The hourly limit on emails to a member, and the time of the digest."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reviews.notification import (
    DIGEST_LATE,
    MAILS_AN_HOUR,
    MemberNotice,
    NoticeKind,
    digest_time,
    plan_mails,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
# The clocks of each zone change several times in this range.
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 1), timezones=st.just(UTC))  # noqa: DTZ001
ZONES = ("Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC")


def notice(number: int, at: datetime = NOON) -> MemberNotice:
    return MemberNotice(NoticeKind.REVIEW, f"review-{number:04}", at)


def test_each_ticket_has_its_own_email_below_the_limit() -> None:
    pending = [notice(number) for number in range(MAILS_AN_HOUR)]

    assert plan_mails(pending, [], NOON) == tuple((one,) for one in pending)


def test_the_last_email_of_the_hour_reports_the_rest() -> None:
    pending = [notice(number) for number in range(100)]

    mails = plan_mails(pending, [], NOON)

    assert [len(one) for one in mails] == [1] * (MAILS_AN_HOUR - 1) + [101 - MAILS_AN_HOUR]
    assert [one for mail in mails for one in mail] == pending


def test_nothing_is_sent_while_the_hour_is_full() -> None:
    sent = [NOON - HOUR + MINUTE] * MAILS_AN_HOUR

    assert plan_mails([notice(1)], sent, NOON) == ()
    assert plan_mails([notice(1)], sent, NOON + MINUTE) == ((notice(1),),)


def test_tickets_that_had_to_wait_share_one_email() -> None:
    sent = [NOON - 2 * MINUTE] * MAILS_AN_HOUR
    held = [notice(number, NOON) for number in range(3)]
    later = notice(9, NOON + HOUR)

    assert plan_mails([*held, later], sent, NOON + HOUR) == (tuple(held), (later,))


@given(st.lists(st.integers(0, 300), max_size=150), st.integers(1, 7))
def test_the_limit_holds_in_every_hour(arrivals: list[int], every: int) -> None:
    """Whenever tickets arrive, each is in exactly one email, and no hour has too many."""
    pending: list[MemberNotice] = []
    sent: list[datetime] = []
    reported: list[MemberNotice] = []
    coming = sorted(arrivals)
    for minute in range(0, 300 + 200, every):
        now = NOON + minute * MINUTE
        while coming and coming[0] <= minute:
            number = len(pending) + len(reported)
            pending.append(notice(number, NOON + coming.pop(0) * MINUTE))
        for mail in plan_mails(pending, sent, now):
            assert mail
            sent.append(now)
            reported += mail
        pending = [one for one in pending if one not in reported]

    assert pending == []
    assert max(Counter(reported).values(), default=1) == 1
    assert len(reported) == len(arrivals)
    for at in sent:
        assert sum(at - HOUR < other <= at for other in sent) <= MAILS_AN_HOUR


@given(st.lists(st.integers(0, 300), max_size=MAILS_AN_HOUR))
def test_few_tickets_are_reported_one_by_one_and_at_once(arrivals: list[int]) -> None:
    sent: list[datetime] = []
    for number, minute in enumerate(sorted(arrivals)):
        now = NOON + minute * MINUTE
        assert plan_mails([notice(number, now)], sent, now) == ((notice(number, now),),)
        sent.append(now)


def digests(
    hour: int, zones: list[str], first: datetime, passes: int, every: timedelta
) -> list[tuple[date, datetime]]:
    """Return the days and times of the digests of regular passes. The zone changes on the way."""
    last: date | None = None
    found = []
    for number in range(passes):
        now = first + number * every
        zone = zones[number * len(zones) // passes]
        due = digest_time(hour, zone, since=LONG_AGO, last=last, now=now)
        assert due.following > now
        if due.day is not None:
            found.append((due.day, now))
            last = due.day
    return found


@given(
    st.integers(0, 23),
    st.sampled_from(ZONES),
    MOMENTS,
)
def test_every_local_day_has_one_digest(hour: int, zone: str, first: datetime) -> None:
    """Also on days on which the clocks change. Passes are half an hour apart."""
    found = digests(hour, [zone], first, 2 * 24 * 8, timedelta(minutes=30))

    days = [day for day, _ in found]
    assert all(later - earlier == timedelta(days=1) for earlier, later in pairwise(days))
    assert 7 <= len(days) <= 9
    for day, at in found[1:]:
        local = at.astimezone(ZoneInfo(zone))
        assert local.date() == day
        wanted = local.replace(hour=hour, minute=0, second=0, microsecond=0)
        # Where clocks skip the hour, the digest follows the change.
        assert timedelta() <= local.replace(tzinfo=None) - wanted.replace(tzinfo=None) <= 2 * HOUR


@given(
    st.integers(0, 23),
    st.lists(st.sampled_from(ZONES), min_size=1, max_size=6),
    MOMENTS,
)
def test_no_day_has_two_digests_when_the_zone_changes(
    hour: int, zones: list[str], first: datetime
) -> None:
    found = digests(hour, zones, first, 24 * 10, HOUR)

    days = [day for day, _ in found]
    assert days == sorted(set(days))


@pytest.mark.parametrize(
    ("now", "day"),
    [
        # Clocks in Paris skip from 02:00 to 03:00, at 01:00 UTC.
        ("2026-03-29T00:59:59+00:00", None),
        ("2026-03-29T01:00:00+00:00", date(2026, 3, 29)),
        # Clocks show 02:00 twice, at 00:00 and 01:00 UTC.
        ("2026-10-24T23:59:59+00:00", None),
        ("2026-10-25T00:00:00+00:00", date(2026, 10, 25)),
    ],
)
def test_an_hour_that_clocks_skip_or_repeat(now: str, day: date | None) -> None:
    at = datetime.fromisoformat(now)
    last = at.date() - timedelta(days=1)

    found = digest_time(2, "Europe/Paris", since=LONG_AGO, last=last, now=at)
    assert found.day == (day if day is not None and day > last else None)
    again = digest_time(2, "Europe/Paris", since=LONG_AGO, last=date(2026, 10, 25), now=at + HOUR)
    assert again.day is None


def test_a_choice_after_todays_hour_starts_tomorrow() -> None:
    found = digest_time(9, "UTC", since=NOON, last=None, now=NOON)

    assert found.day is None
    assert found.following == NOON.replace(hour=9) + timedelta(days=1)


@pytest.mark.parametrize(("late", "is_due"), [(timedelta(), True), (MINUTE, False)])
def test_a_digest_that_is_too_late_is_left_out(late: timedelta, is_due: bool) -> None:
    now = NOON + DIGEST_LATE + late

    found = digest_time(12, "UTC", since=LONG_AGO, last=None, now=now)

    assert (found.day is not None) is is_due
