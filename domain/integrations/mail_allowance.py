"""The number of emails that a client may send through the service's mail server in a UTC day.

A new account's allowance doubles each week, and shrinks while mail servers reject its emails. Each
MailGroup has its own, so that rejections in one do not stop the others.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.billing.subscription import Subscription
from domain.tenants.client import Plan

FREE_PER_DAY: Final = 50
PAID_PER_DAY: Final = 1_000
UNPAID_PER_DAY: Final = 2_000
"""Maximum number of emails in a UTC day from all unaccountable clients together (`is_accountable`).
Accounts in their first week are counted separately, so that a flood of new accounts does not stop
emails from older accounts."""

UNPAID_PER_RECIPIENT: Final = 20
"""Maximum number of emails to one address in a UTC day, from all unaccountable clients together."""

UNPAID_PER_SENDER: Final = 2 * FREE_PER_DAY
"""Maximum number of emails from one verified sender address in a UTC day, for all unaccountable
clients together. It is twice FREE_PER_DAY because an account's answers are in two groups (`answers`
and `claims`)."""

_DOUBLES_EVERY: Final = timedelta(days=7)
_MOST_DOUBLINGS: Final = 10
# A smaller number of rejections is not significant.
_FEW_REFUSALS: Final = 5
_WARNING_SHARE: Final = 0.05
_STOP_SHARE: Final = 0.10
_WARNED_PART: Final = 10
_REFUSED_ANSWER: Final = 10
"""Number of emails by which each rejected email in `answers` or `claims` reduces the daily
allowance."""


class MailGroup(StrEnum):
    """A group of emails with a shared daily allowance.

    - `members`: to the client's members, for invitations and sender codes.
    - `answers`: to customers with a verified address.
    - `claims`: to an unverified sender address because a From header can be forged.
    """

    MEMBERS = "members"
    ANSWERS = "answers"
    CLAIMS = "claims"


REFUSALS_WITHIN: Final = {
    MailGroup.MEMBERS: timedelta(days=30),
    MailGroup.ANSWERS: timedelta(days=1),
    MailGroup.CLAIMS: timedelta(days=1),
}
"""The period for which a rejected email reduces the allowance, in whole UTC days, by group."""


@dataclass(frozen=True, slots=True)
class MailStanding:
    """The facts that determine a client's allowance for one group. `created_at` is the account's
    opening. `sent` and `refused` count emails within REFUSALS_WITHIN."""

    created_at: datetime
    subscription: Subscription
    group: MailGroup
    sent: int
    refused: int


def is_accountable(subscription: Subscription, now: datetime) -> bool:
    """Return True if the client pays for a plan or received one from the operator.

    Anyone can open a free account and configure their own mail provider. Statements about senders
    are trusted only from accountable clients.
    """
    return subscription.settled(now).plan is not Plan.FREE


def is_new(standing: MailStanding, now: datetime) -> bool:
    """Return True if the account was opened less than a week ago."""
    return now - standing.created_at < _DOUBLES_EVERY


def mails_per_day(standing: MailStanding, now: datetime) -> int:
    """Return the group's maximum number of emails for the day, or 0 while too many are rejected.

    Strangers can cause rejections of `answers` and `claims`. These allowances shrink by the number
    of rejections, not by their share, and recover after a day.
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
