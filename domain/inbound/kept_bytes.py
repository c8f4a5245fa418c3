"""How much of a client's webhooks is kept, so that a flood of strangers fills no disk.

What has no room now is refused, and its platform sends it again. Only a message that proves no
sender is ever let go.
"""

from dataclasses import dataclass
from typing import Final

from domain.inbound.logged_webhook import SHOWN_BODY
from domain.inbound.mail import MAX_BODY

CUT_TO: Final = SHOWN_BODY
"""Bytes of a body that stay once its webhook has ended: what people are shown of it. What its mail
brought is kept with the event."""

ROOM: Final = 1024 * 1024 * 1024
"""Bytes of the bodies of one size class that wait for their effect, or have failed."""

MIDDLE: Final = 1024 * 1024

QUEUE: Final = 20_000
"""Tickets that were never tried: an hour of their lane."""

DAY_ROWS: Final = 100_000
"""Webhooks of 24 hours, of a client with a plan. Each leaves a row and up to CUT_TO of its body."""

DAY_ROWS_WITHOUT_PLAN: Final = 10_000
"""Anybody can open such an account and sign webhooks with a secret of their own."""

DAY_BYTES_WITHOUT_PLAN: Final = 64 * 1024 * 1024
"""Of what is kept of their bodies: 2 GB in the 30 days that it is kept."""

UNPROVED_WAITING: Final = 1_000
"""Tickets that wait for the share of unproved senders: half a day of it."""


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Bodies of more than `above` and at most `up_to` bytes. Each class has a ROOM of its own, so
    that mails with photos leave room for those without."""

    above: int
    up_to: int


_CLASSES: Final = (SizeClass(CUT_TO, MIDDLE), SizeClass(MIDDLE, MAX_BODY))


def size_class(size: int) -> SizeClass | None:
    """Return the class of a body of so many bytes, or None if it needs no room."""
    return next((one for one in _CLASSES if one.above < size <= one.up_to), None)
