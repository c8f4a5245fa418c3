"""Limits on a client's stored webhooks, so that a flood of messages cannot fill the disk.

A webhook above a limit is rejected for the platform to retry. Only messages from unverified senders
are dropped.
"""

from dataclasses import dataclass
from typing import Final

from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.logged_webhook import SHOWN_BODY
from domain.inbound.mail import MAX_BODY

CUT_TO: Final = SHOWN_BODY
"""Number of bytes of each body that are stored for display after its webhook has been processed. An
email's content is stored with its event."""

ROOM: Final = 1024 * 1024 * 1024
"""Maximum total size, in bytes, of a client's waiting and failed bodies in one size class."""

MIDDLE: Final = 1024 * 1024

QUEUE: Final = 20_000
"""Maximum number of a client's tickets that wait for their first attempt. It corresponds to about
one hour of processing."""

FROM_STRANGERS: Final = frozenset({WebhookKind.TICKET, WebhookKind.IGNORED})
"""The kinds of webhooks that strangers can trigger. These kinds have their own daily limits, so
that a flood of emails displaces no refund, order or compliance request."""

_DAILY_LIMITS: Final = (
    FROM_STRANGERS,
    frozenset({WebhookKind.FACT}),
    frozenset({WebhookKind.DUTY}),
)

DAY_ROWS: Final = 100_000
"""Maximum number of webhooks in 24 hours for a client with a plan. Their number is limited because
each webhook leaves a database row and up to CUT_TO bytes of its body."""

DAY_ROWS_WITHOUT_PLAN: Final = 10_000
"""Maximum number of webhooks in 24 hours for a client without a plan. It is lower than DAY_ROWS,
because anyone can open such an account and sign webhooks with their own secret."""

DAY_BYTES_WITHOUT_PLAN: Final = 64 * 1024 * 1024
"""Maximum total size, in bytes, of the bodies stored in 24 hours for a client without a plan. Over
the 30 days of retention, this is about 2 GB."""

CONNECTION_PART: Final = 2
"""Each daily limit is divided by this number to get the limit for a single connection. A flood
through one connection leaves the rest to the client's other connections."""

UNPROVED_WAITING: Final = 1_000
"""Maximum number of a client's tickets that may wait because of the limit for unverified senders.
That limit admits about this number in half a day."""


def counted_with(kind: WebhookKind) -> frozenset[WebhookKind]:
    """Return the kinds that share a daily limit with `kind`. Orders and compliance requests have
    separate limits, so that a flood of orders displaces no compliance request."""
    return next(kinds for kinds in _DAILY_LIMITS if kind in kinds)


@dataclass(frozen=True, slots=True)
class SizeClass:
    """A class of bodies with more than `above` and at most `up_to` bytes. The ROOM limit applies to
    each class separately, so that emails with photos do not displace emails without photos."""

    above: int
    up_to: int


_CLASSES: Final = (SizeClass(CUT_TO, MIDDLE), SizeClass(MIDDLE, MAX_BODY))


def size_class(size: int) -> SizeClass | None:
    """Return the size class of a body of `size` bytes, or None if the body is too small to be
    limited."""
    return next((one for one in _CLASSES if one.above < size <= one.up_to), None)
