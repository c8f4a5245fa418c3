"""How much of the events that no playbook wants is kept, for they cost their sender no ticket."""

from datetime import timedelta
from typing import Final

ROOM: Final = 64 * 1024 * 1024
"""Bytes of one client within WINDOW, as PostgreSQL keeps them: compressed."""

WINDOW: Final = timedelta(hours=24)
