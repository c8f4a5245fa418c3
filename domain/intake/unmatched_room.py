"""The storage limit for events that match no playbook; such events cost their sender no ticket."""

from datetime import timedelta
from typing import Final

ROOM: Final = 64 * 1024 * 1024
"""Maximum compressed size, in bytes, of one client's unmatched events within WINDOW, as stored by
PostgreSQL."""

WINDOW: Final = timedelta(hours=24)
