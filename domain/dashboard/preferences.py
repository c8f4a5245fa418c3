"""How a person wants the pages to look, and which client they work for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from domain.dashboard.errors import InvalidPreferences

DEFAULT_ZONE: Final = "Europe/Paris"


class Theme(StrEnum):
    AUTO = "auto"
    """As the browser says."""
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Preferences:
    """`client_id`: the client whose pages were last looked at. `language`: None is the browser's.
    `single_keys`: whether a key alone does something (WCAG 2.1.4 wants that it can be off)."""

    client_id: str | None = None
    language: str | None = None
    time_zone: str = DEFAULT_ZONE
    theme: Theme = Theme.AUTO
    single_keys: bool = True


def check_time_zone(name: str) -> str:
    """A name of the IANA database. Raises InvalidPreferences."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise InvalidPreferences("fuseau horaire inconnu") from None
