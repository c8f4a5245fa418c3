"""Limits on the stored webhooks of a client, so that a flood of messages cannot fill the disk.

A webhook above a limit is refused, and its platform sends it again. Only messages from unproved
senders are ever dropped.
"""

from dataclasses import dataclass
from typing import Final

from domain.inbound.logged_webhook import SHOWN_BODY
from domain.inbound.mail import MAX_BODY

CUT_TO: Final = SHOWN_BODY
"""Bytes of a body that are kept for display once its webhook has ended. The content of a mail is
stored with its event."""

ROOM: Final = 1024 * 1024 * 1024
"""Maximum total size, in bytes, of the waiting and failed bodies in one size class."""

MIDDLE: Final = 1024 * 1024

QUEUE: Final = 20_000
"""Maximum number of tickets not yet attempted: about one hour of the queue."""

DAY_ROWS: Final = 100_000
"""Maximum number of webhooks in 24 hours for a client with a plan. Each leaves a row and up to
CUT_TO of its body."""

DAY_ROWS_WITHOUT_PLAN: Final = 10_000
"""The same limit for a client without a plan: anyone can open such an account and sign webhooks
with their own secret."""

DAY_BYTES_WITHOUT_PLAN: Final = 64 * 1024 * 1024
"""Maximum size, in bytes, of the bodies stored in 24 hours for a client without a plan: about 2 GB
over the 30 days of retention."""

UNPROVED_WAITING: Final = 1_000
"""Maximum number of tickets waiting for the share of unproved senders: about half a day of the
share."""


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Bodies of more than `above` and at most `up_to` bytes. Each class has its own limit ROOM, so
    that mails with photos do not displace mails without."""

    above: int
    up_to: int


_CLASSES: Final = (SizeClass(CUT_TO, MIDDLE), SizeClass(MIDDLE, MAX_BODY))


def size_class(size: int) -> SizeClass | None:
    """Return the class of a body of `size` bytes, or None if the body is too small for a limit."""
    return next((one for one in _CLASSES if one.above < size <= one.up_to), None)
