"""How many mails a client may send by the service's server in a UTC day.

A new account gets few. The allowance doubles each week, and shrinks while servers refuse the
client's mails.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.billing.subscription import Subscription
from domain.tenants.client import Plan

FREE_PER_DAY: Final = 50
PAID_PER_DAY: Final = 1_000
REFUSALS_WITHIN: Final = timedelta(days=30)
_DOUBLES_EVERY: Final = timedelta(days=7)
_MOST_DOUBLINGS: Final = 10
# Fewer refusals than these say nothing about a client.
_FEW_REFUSALS: Final = 5
_WARNING_SHARE: Final = 0.05
_STOP_SHARE: Final = 0.10
_WARNED_PART: Final = 10


@dataclass(frozen=True, slots=True)
class MailStanding:
    """`created_at`: when the account was opened. `sent`, `refused`: the client's mails within
    REFUSALS_WITHIN, and those that a server refused."""

    created_at: datetime
    subscription: Subscription
    sent: int
    refused: int


def is_accountable(subscription: Subscription, now: datetime) -> bool:
    """Return whether the account pays for a plan or has one from the operator.

    Anyone can open a trial or a free account and configure a mail provider whose secrets they
    hold, so only an accountable client's provider is believed about senders.
    """
    return subscription.settled(now).plan is not Plan.FREE


def mails_per_day(standing: MailStanding, now: datetime) -> int:
    """Return the allowance of the day, 0 while too many of the client's mails are refused."""
    first_week = PAID_PER_DAY if is_accountable(standing.subscription, now) else FREE_PER_DAY
    weeks = max(0, (now - standing.created_at) // _DOUBLES_EVERY)
    allowance = first_week * 2 ** min(weeks, _MOST_DOUBLINGS)
    if standing.refused < _FEW_REFUSALS:
        return int(allowance)
    share = standing.refused / max(standing.sent, standing.refused)
    if share > _STOP_SHARE:
        return 0
    return int(allowance) // (_WARNED_PART if share > _WARNING_SHARE else 1)
