"""Readable text on a color.

Source: WCAG 2.2, "relative luminance" and "contrast ratio", and success criterion 1.4.3.
"""

from typing import Final

CONTRAST: Final = 4.5
"""The minimum contrast ratio for text. On every color, black or white text reaches this ratio."""

_BLACK: Final = "#000000"
_WHITE: Final = "#ffffff"
# Weights of the red, green and blue channels in relative luminance.
_WEIGHTS: Final = (0.2126, 0.7152, 0.0722)


def readable_on(color: str) -> str:
    """Return black or white, whichever has more contrast with a color like #1a2b3c."""
    return max(_WHITE, _BLACK, key=lambda text: contrast(text, color))


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
