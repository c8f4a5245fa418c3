"""The appearance of the widget: the merchant's color, and a readable color for text on it."""

from dataclasses import dataclass
from typing import Final

from domain.core.contrast import readable_on
from domain.tenants.client_settings import Branding

DEFAULT_COLOR: Final = "#4f46e5"
"""The color of clients that have not set one."""


@dataclass(frozen=True, slots=True)
class WidgetLooks:
    """The appearance of the widget. Colors have the form #1a2b3c. `on_color` is for text on
    `color`."""

    display_name: str
    color: str
    on_color: str
    logo_url: str | None


def looks(branding: Branding, brand_name: str) -> WidgetLooks:
    """Return the appearance defined by the client's branding. Defaults replace values that the
    client has not set."""
    color = branding.color or DEFAULT_COLOR
    return WidgetLooks(
        branding.display_name or brand_name, color, readable_on(color), branding.logo_url
    )
