"""A member's email notifications about tickets that need the team.

Each member chooses them for each client. At most MAILS_AN_HOUR are sent in an hour, so that a
stranger cannot flood the mailboxes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from domain.tenants.business_hours import instant_of

MAILS_AN_HOUR: Final = 6
"""Maximum number of at-once emails to one member within an hour. The remaining tickets are listed
in one later email."""

MAILED_EVERY: Final = timedelta(minutes=1)
"""The interval between passes that send emails to members."""

DEFAULT_HOUR: Final = 9
LAST_HOUR: Final = 23

DIGEST_LATE: Final = timedelta(hours=6)
"""The delay after which a digest is no longer sent, for example after an outage."""

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)


class NotificationMode(StrEnum):
    """When a member receives emails: for each ticket (`at_once`), or one a day (`digest`)."""

    NONE = "none"
    AT_ONCE = "at_once"
    DIGEST = "digest"


class NotificationSettings(BaseModel):
    """A member's notifications for one client. The field defaults apply to a member who has not
    chosen."""

    model_config = ConfigDict(frozen=True)

    mode: NotificationMode = Field(
        default=NotificationMode.NONE,
        description=(
            "`none`: no emails. `at_once`: an email for each ticket that needs the member. "
            "`digest`: one email a day if tickets are waiting."
        ),
    )
    digest_hour: Annotated[int, Field(ge=0, le=LAST_HOUR)] = Field(
        default=DEFAULT_HOUR,
        description="Hour of the digest, in the time zone of the client's business hours.",
    )


class NoticeKind(StrEnum):
    """The reason for a notification: a review was opened, or a conversation was assigned to the
    member."""

    REVIEW = "review"
    ASSIGNED = "assigned"


@dataclass(frozen=True, slots=True)
class MemberNotice:
    """A ticket that needs a member. `subject` is the id of the review or conversation."""

    kind: NoticeKind
    subject: str
    created_at: datetime


def plan_mails(
    pending: Sequence[MemberNotice], sent: Sequence[datetime], now: datetime
) -> tuple[tuple[MemberNotice, ...], ...]:
    """Return the emails to send now, each with the notices that it reports.

    `pending` are the unreported notices, oldest first. `sent` are the times of earlier emails. Each
    notice gets its own email until the hourly limit is reached. Later notices share an email once
    the limit allows one again.
    """
    room = MAILS_AN_HOUR - _within_hour(sent, now)
    if room <= 0:
        return ()
    held: list[MemberNotice] = []
    fresh: list[MemberNotice] = []
    for one in pending:
        was_full = _within_hour(sent, one.created_at) >= MAILS_AN_HOUR
        (held if was_full else fresh).append(one)
    mails = [tuple(held)] if held else []
    room -= len(mails)
    if len(fresh) <= room:
        return (*mails, *((one,) for one in fresh))
    if room == 0:
        return (tuple(pending),)
    singles, rest = fresh[: room - 1], fresh[room - 1 :]
    return (*mails, *((one,) for one in singles), tuple(rest))


def _within_hour(times: Sequence[datetime], until: datetime) -> int:
    return sum(until - _HOUR < at <= until for at in times)


@dataclass(frozen=True, slots=True)
class DigestTime:
    """When a digest is due: its local `day` if it is due now, and the `following` time."""

    day: date | None
    following: datetime


def digest_time(
    hour: int, time_zone: str, *, since: datetime, last: date | None, now: datetime
) -> DigestTime:
    """Return whether a digest is due. `since` is the time of the member's choice, and `last` the
    local day of the latest digest.

    At most one digest is due for each local day. If clocks skip its hour, it is due at the change.
    If its hour is repeated, it is due the first time.
    """
    zone = ZoneInfo(time_zone)
    today = now.astimezone(zone).date()
    days = [today + shift * _DAY for shift in (-1, 0, 1, 2)]
    times = [(instant_of(day, hour * 60, zone), day) for day in days]
    at, day = max(one for one in times if one[0] <= now)
    is_due = since < at and now - at <= DIGEST_LATE and (last is None or last < day)
    return DigestTime(day if is_due else None, min(at for at, _ in times if at > now))
