"""How many mails a client may send by the service's server in a UTC day.

A new account gets few. The allowance doubles each week, and shrinks while servers refuse the
client's mails. Each MailGroup has an allowance of its own, so that refusals of one group stop no
other.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.billing.subscription import Subscription
from domain.tenants.client import Plan

FREE_PER_DAY: Final = 50
PAID_PER_DAY: Final = 1_000
_DOUBLES_EVERY: Final = timedelta(days=7)
_MOST_DOUBLINGS: Final = 10
# Fewer refusals than these say nothing about a client.
_FEW_REFUSALS: Final = 5
_WARNING_SHARE: Final = 0.05
_STOP_SHARE: Final = 0.10
_WARNED_PART: Final = 10
_REFUSED_ANSWER: Final = 10
"""Answers that one refused answer costs."""


class MailGroup(StrEnum):
    """Mails with a daily allowance in common, by who chooses the recipient.

    `members`: the client's members do, by invitations and codes for a sender. `answers`: customers
    with a proved address. `claims`: whoever writes a mail, for a From can be forged.
    """

    MEMBERS = "members"
    ANSWERS = "answers"
    CLAIMS = "claims"


REFUSALS_WITHIN: Final = {
    MailGroup.MEMBERS: timedelta(days=30),
    MailGroup.ANSWERS: timedelta(days=1),
    MailGroup.CLAIMS: timedelta(days=1),
}
"""For how long a refusal counts, in UTC days."""


@dataclass(frozen=True, slots=True)
class MailStanding:
    """`created_at`: when the account was opened. `sent`, `refused`: the client's mails of the group
    within its REFUSALS_WITHIN, and those that a server refused."""

    created_at: datetime
    subscription: Subscription
    group: MailGroup
    sent: int
    refused: int


def is_accountable(subscription: Subscription, now: datetime) -> bool:
    """Return whether the account pays for a plan or has one from the operator.

    Anyone can open a trial or a free account and configure a mail provider whose secrets they
    hold, so only an accountable client's provider is believed about senders.
    """
    return subscription.settled(now).plan is not Plan.FREE


def mails_per_day(standing: MailStanding, now: datetime) -> int:
    """Return the group's allowance of the day, 0 while too many of its mails are refused.

    Strangers can have answers refused. So the allowance of answers never stops for longer than the
    day, and shrinks by the number of refusals, whatever their share.
    """
    first_week = PAID_PER_DAY if is_accountable(standing.subscription, now) else FREE_PER_DAY
    weeks = max(0, (now - standing.created_at) // _DOUBLES_EVERY)
    allowance = first_week * 2 ** min(weeks, _MOST_DOUBLINGS)
    if standing.refused < _FEW_REFUSALS:
        return int(allowance)
    if standing.group is not MailGroup.MEMBERS:
        return max(0, int(allowance) - _REFUSED_ANSWER * standing.refused)
    share = standing.refused / max(standing.sent, standing.refused)
    if share > _STOP_SHARE:
        return 0
    return int(allowance) // (_WARNED_PART if share > _WARNING_SHARE else 1)
