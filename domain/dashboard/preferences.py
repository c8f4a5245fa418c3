"""A user's page preferences, including the last viewed client."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from domain.dashboard.errors import InvalidPreferences

DEFAULT_ZONE: Final = "Europe/Paris"


class Theme(StrEnum):
    AUTO = "auto"
    """The page follows the browser's setting."""
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Preferences:
    """A user's page preferences. `client_id` is the last viewed client. Without `language`, the
    browser's language applies. If `single_keys` is true, single-key shortcuts are enabled. WCAG
    2.1.4 requires them to be optional."""

    client_id: str | None = None
    language: str | None = None
    time_zone: str = DEFAULT_ZONE
    theme: Theme = Theme.AUTO
    single_keys: bool = True


def check_time_zone(name: str) -> str:
    """Return the name of a time zone. Raises InvalidPreferences if the IANA database does not
    contain the name."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise InvalidPreferences("fuseau horaire inconnu") from None
