"""The storage limit for events that cost their sender nothing.

For a client with a plan, it counts the events that match no playbook, because they cost no ticket.
For a client without a plan, it counts all events: an event without an answer returns its ticket.
"""

from datetime import timedelta
from typing import Final

ROOM: Final = 64 * 1024 * 1024
"""Maximum compressed size, in bytes, of the counted events of one client within WINDOW, as stored
by PostgreSQL."""

UNPROVED_PART: Final = 2
"""ROOM divided by this number is the limit for unproved senders of a client without a plan. The
rest remains for other senders."""

WINDOW: Final = timedelta(hours=24)
