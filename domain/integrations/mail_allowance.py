"""The number of mails that a client may send through the service's server in a UTC day.

A new account has a small allowance. It doubles each week, and shrinks while servers refuse the
client's mails. Each MailGroup has a separate allowance, so that refusals in one group do not stop
another.
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
# Fewer refusals are not significant.
_FEW_REFUSALS: Final = 5
_WARNING_SHARE: Final = 0.05
_STOP_SHARE: Final = 0.10
_WARNED_PART: Final = 10
_REFUSED_ANSWER: Final = 10
"""The number of answers by which one refused answer reduces the allowance."""


class MailGroup(StrEnum):
    """Mails that share a daily allowance, grouped by who chooses the recipient.

    `members`: the client's members, through invitations and sender codes. `answers`: customers with
    a verified address. `claims`: any sender of a mail, because a From header can be forged.
    """

    MEMBERS = "members"
    ANSWERS = "answers"
    CLAIMS = "claims"


REFUSALS_WITHIN: Final = {
    MailGroup.MEMBERS: timedelta(days=30),
    MailGroup.ANSWERS: timedelta(days=1),
    MailGroup.CLAIMS: timedelta(days=1),
}
"""The period in which a refusal counts, in UTC days."""


@dataclass(frozen=True, slots=True)
class MailStanding:
    """The facts that decide an allowance.

    `created_at`: when the account was opened. `sent`, `refused`: the client's mails of the group
    within its REFUSALS_WITHIN, and those that a server refused.
    """

    created_at: datetime
    subscription: Subscription
    group: MailGroup
    sent: int
    refused: int


def is_accountable(subscription: Subscription, now: datetime) -> bool:
    """Return whether the account pays for a plan or received one from the operator.

    Anyone can open a trial or a free account and configure a mail provider with known secrets. The
    service therefore trusts only an accountable client's provider about senders.
    """
    return subscription.settled(now).plan is not Plan.FREE


def mails_per_day(standing: MailStanding, now: datetime) -> int:
    """Return the group's allowance of the day; 0 while too many of its mails are refused.

    Strangers can cause refusals of answers and claims. Those allowances therefore shrink by the
    number of refusals, and not by their share. They recover after the day.
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
