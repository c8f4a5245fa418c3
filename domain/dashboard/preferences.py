"""A user's page preferences, and the client that the user last worked for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from domain.dashboard.errors import InvalidPreferences

DEFAULT_ZONE: Final = "Europe/Paris"


class Theme(StrEnum):
    AUTO = "auto"
    """Follow the browser's setting."""
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Preferences:
    """A user's preferences. `client_id`: the last viewed client. `language`: None for the
    browser's. `single_keys`: whether single-key shortcuts are on (WCAG 2.1.4 requires a way to turn
    them off)."""

    client_id: str | None = None
    language: str | None = None
    time_zone: str = DEFAULT_ZONE
    theme: Theme = Theme.AUTO
    single_keys: bool = True


def check_time_zone(name: str) -> str:
    """Return the name if it is a time zone in the IANA database. Raises InvalidPreferences
    otherwise."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise InvalidPreferences("fuseau horaire inconnu") from None
