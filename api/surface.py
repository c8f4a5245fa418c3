"""Families of routes. For some errors, the specification defines a different text per family."""

from enum import Enum, auto


class Surface(Enum):
    GATEWAY = auto()
    USAGE = auto()
    WIDGET = auto()
    OTHER = auto()


def surface_of(path: str) -> Surface:
    """Return the family that a request's path belongs to."""
    if path == "/api/engine/gateway":
        return Surface.GATEWAY
    if path == "/api/billing/usage":
        return Surface.USAGE
    if path.startswith("/api/widget/"):
        return Surface.WIDGET
    return Surface.OTHER
