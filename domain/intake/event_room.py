"""The storage limit for events that their sender does not pay for.

A client with a plan has it for events that match no playbook, because they cost no ticket. A client
without a plan has it for all events: the ticket of an event without an answer is given back.
"""

from datetime import timedelta
from typing import Final

ROOM: Final = 64 * 1024 * 1024
"""Maximum bytes of one client within WINDOW, as stored by PostgreSQL: compressed."""

UNPROVED_PART: Final = 2
"""The divisor of ROOM for unproved senders of a client without a plan: the rest is for others."""

WINDOW: Final = timedelta(hours=24)
