"""The families of routes. The specification gives some errors another text in each of them."""

from enum import Enum, auto


class Surface(Enum):
    GATEWAY = auto()
    USAGE = auto()
    WIDGET = auto()
    OTHER = auto()


def surface_of(path: str) -> Surface:
    """The family that a request's path belongs to."""
    if path == "/api/engine/gateway":
        return Surface.GATEWAY
    if path == "/api/billing/usage":
        return Surface.USAGE
    if path.startswith("/api/widget/"):
        return Surface.WIDGET
    return Surface.OTHER
