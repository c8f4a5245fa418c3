"""The browser and the system of a session, recognized in its User-Agent header."""

import re
from typing import Final

# The order matters: Edge and Opera also name Chrome, and Chrome also names Safari.
_BROWSERS: Final = (
    ("Edge", r"Edg(?:e|A|iOS)?/"),
    ("Opera", r"OPR/"),
    ("Samsung Internet", r"SamsungBrowser/"),
    ("Firefox", r"(?:Firefox|FxiOS)/"),
    ("Chrome", r"(?:Chrome|CriOS|HeadlessChrome|Chromium)/"),
    ("Safari", r"Version/\S+ (?:Mobile/\S+ )?Safari/"),
)
# Phones also name the system from which theirs is derived.
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows NT"),
    ("macOS", "Mac OS X"),
    ("ChromeOS", "CrOS"),
    ("Linux", "Linux"),
)


def device_of(agent: str) -> tuple[str, str] | None:
    """Return the names of the browser and the system, or None if either is not recognized."""
    browser = next((name for name, mark in _BROWSERS if re.search(mark, agent)), None)
    system = next((name for name, mark in _SYSTEMS if mark in agent), None)
    return (browser, system) if browser and system else None
