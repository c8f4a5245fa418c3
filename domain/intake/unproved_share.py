"""The share of a client's limits for messages from unverified senders.

It covers unauthenticated emails, and helpdesk messages with an unverified address. A domain's
holder can verify any number of addresses, so a verified sender's messages beyond SENDER count too.
"""

import math
from datetime import datetime, timedelta
from typing import Final

from domain.billing.quota import UNLIMITED, QuotaStanding
from domain.core.period import next_period_start, period_start
from domain.intake.event import Channel, InboundEvent, channel_of
from domain.intake.gateway_limits import PER_CLIENT, MessageLimit
from domain.intake.limit_key import LimitKey
from domain.intake.normalization import is_verified

MESSAGES: Final = PER_CLIENT.messages * 2 // 5
"""Number of messages that unverified senders may send within PER_CLIENT.window. Together with the
widget's own share (half the limit), this share leaves capacity for other messages."""

SPACING: Final = PER_CLIENT.window / MESSAGES
"""Interval between two attempts to admit messages that wait because the share is used up. The
interval keeps the cost of a long queue low."""

TICKET_RETRY: Final = timedelta(minutes=30)
"""Retry interval for messages that wait for tickets. The share of tickets grows slowly, but a plan
change or purchased credits can increase it at any time."""

SENDER: Final = MessageLimit(10, timedelta(hours=24))
"""Number of messages that one verified sender may send before further messages count toward the
share. A sender is a domain (`own_domain`), or an address at a mail provider."""

_PERCENT_AT_ONCE: Final = 40


def is_unproved(event: InboundEvent, customer: LimitKey | None) -> bool:
    """Return True if the sender of an event is neither authenticated nor confirmed by a trusted
    caller.

    `customer` is the event's limit key, or None if the event identifies no customer.
    """
    if customer is not None:
        return customer.is_claim
    channel = channel_of(event.event_type, event.source)
    return channel is Channel.EMAIL or not is_verified(event, channel)


def tickets_at(standing: QuotaStanding, now: datetime) -> int | None:
    """Return the number of tickets for unverified senders in the month of `now`, or None for no
    limit.

    The share grows from _PERCENT_AT_ONCE to all of the plan's tickets and credits over the month. A
    shop with only unverified senders can therefore use its whole plan.
    """
    if standing.tickets_limit == UNLIMITED:
        return None
    left = max(0, standing.tickets_limit - standing.tickets_used) + standing.credits_balance
    total = standing.tickets_used + left
    start = period_start(standing.period)
    elapsed = (now - start) / (next_period_start(start) - start)
    later = (100 - _PERCENT_AT_ONCE) * min(1.0, max(0.0, elapsed))
    return max(1, math.ceil(total * (_PERCENT_AT_ONCE + later) / 100))
