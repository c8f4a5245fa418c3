"""The storage limit for events that the ticket quota does not limit.

With a plan, it counts the events that match no playbook. Without a plan, it counts all events,
because unanswered events get their tickets back.
"""

from datetime import timedelta
from typing import Final

ROOM: Final = 64 * 1024 * 1024
"""Maximum compressed size, in bytes, of one client's counted events within WINDOW, as stored by
PostgreSQL."""

UNPROVED_PART: Final = 2
"""ROOM is divided by this number to get the limit for unverified senders of a client without a
plan. The rest of ROOM is reserved for other senders."""

WINDOW: Final = timedelta(hours=24)
