"""The mail allowance: how many mails a client may send through the service's server in a UTC day.

A new account has a small allowance. It doubles each week, and shrinks while mail servers refuse the
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
UNPAID_PER_DAY: Final = 2_000
"""Maximum mails in a UTC day of all unaccountable clients together, separately for accounts in
their first week, so that a flood of new accounts does not stop the mails of older ones."""

UNPAID_PER_RECIPIENT: Final = 20
"""Maximum mails in a UTC day to one address of all unaccountable clients together."""

UNPAID_PER_SENDER: Final = 2 * FREE_PER_DAY
"""Maximum mails in a UTC day with one verified sender address of all unaccountable clients
together. An account has two groups of answers."""

_DOUBLES_EVERY: Final = timedelta(days=7)
_MOST_DOUBLINGS: Final = 10
# Up to this number, refusals are not significant.
_FEW_REFUSALS: Final = 5
_WARNING_SHARE: Final = 0.05
_STOP_SHARE: Final = 0.10
_WARNED_PART: Final = 10
_REFUSED_ANSWER: Final = 10
"""Number of answers by which one refused answer reduces the allowance."""


class MailGroup(StrEnum):
    """Mails that share a daily allowance, grouped by who chooses the recipient.

    `members`: to the client's members, for invitations and sender codes. `answers`: to customers
    with a verified address. `claims`: to any claimed sender of a mail, because a From header can be
    forged.
    """

    MEMBERS = "members"
    ANSWERS = "answers"
    CLAIMS = "claims"


REFUSALS_WITHIN: Final = {
    MailGroup.MEMBERS: timedelta(days=30),
    MailGroup.ANSWERS: timedelta(days=1),
    MailGroup.CLAIMS: timedelta(days=1),
}
"""For each group: how long a refusal counts, in UTC days."""


@dataclass(frozen=True, slots=True)
class MailStanding:
    """The facts that determine an allowance.

    `created_at`: when the account was opened. `sent`, `refused`: the client's mails of the group
    within its REFUSALS_WITHIN, and how many of them a server refused.
    """

    created_at: datetime
    subscription: Subscription
    group: MailGroup
    sent: int
    refused: int


def is_accountable(subscription: Subscription, now: datetime) -> bool:
    """Return whether the account pays for a plan or received one from the operator.

    Anyone can open a trial or free account and configure a mail provider whose secrets they know.
    The service therefore trusts a client's mail provider about senders only if the client is
    accountable.
    """
    return subscription.settled(now).plan is not Plan.FREE


def is_new(standing: MailStanding, now: datetime) -> bool:
    """Return whether the account is in its first week."""
    return now - standing.created_at < _DOUBLES_EVERY


def mails_per_day(standing: MailStanding, now: datetime) -> int:
    """Return the group's allowance for the day; 0 while too many of the group's mails are refused.

    Strangers can cause refusals of answers and claims. The allowances for these therefore shrink by
    the number of refusals, not by their share, and recover after the day.
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
