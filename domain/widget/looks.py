"""The appearance of the widget: the merchant's color, and a readable color for text on it.

Source: WCAG 2.2, "relative luminance" and "contrast ratio", and success criterion 1.4.3.
"""

from dataclasses import dataclass
from typing import Final

from domain.tenants.client_settings import Branding

CONTRAST: Final = 4.5
"""The minimum contrast ratio for text. On every color, either black or white text reaches this
ratio."""

_BLACK: Final = "#000000"
_WHITE: Final = "#ffffff"
_OURS: Final = "#1f4e79"
# Weights of the red, green and blue channels in relative luminance.
_WEIGHTS: Final = (0.2126, 0.7152, 0.0722)


@dataclass(frozen=True, slots=True)
class WidgetLooks:
    """The appearance of the widget. Colors have the form #1a2b3c. `on_color`: the color of text on
    `color`."""

    display_name: str
    color: str
    on_color: str
    logo_url: str | None


def looks(branding: Branding, brand_name: str) -> WidgetLooks:
    """Return the appearance defined by the client's branding. Defaults replace values that the
    client has not set."""
    color = branding.color or _OURS
    return WidgetLooks(
        branding.display_name or brand_name,
        color,
        max(_WHITE, _BLACK, key=lambda text: contrast(text, color)),
        branding.logo_url,
    )


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return sum(
        weight * _linear(channel) for weight, channel in zip(_WEIGHTS, channels, strict=True)
    )


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
