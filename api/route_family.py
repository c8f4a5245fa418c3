"""Route families. The API specification defines some error messages per family."""

from enum import Enum, auto


class RouteFamily(Enum):
    GATEWAY = auto()
    USAGE = auto()
    WIDGET = auto()
    OTHER = auto()


def route_family(path: str) -> RouteFamily:
    """Return the route family of a request path."""
    if path == "/api/engine/gateway":
        return RouteFamily.GATEWAY
    if path == "/api/billing/usage":
        return RouteFamily.USAGE
    if path.startswith("/api/widget/"):
        return RouteFamily.WIDGET
    return RouteFamily.OTHER
