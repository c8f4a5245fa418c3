"""The storage limit for events that match no playbook, because they cost their sender no ticket."""

from datetime import timedelta
from typing import Final

ROOM: Final = 64 * 1024 * 1024
"""Maximum bytes of one client within WINDOW, as stored by PostgreSQL: compressed."""

WINDOW: Final = timedelta(hours=24)
