"""Headers for every response from the widget's routes, including errors. Pages of any origin may
read them (CORS), without cookies. The widget key determines which pages may use the routes
(`api/widget_access.py`)."""

from typing import Final

from api.route_family import RouteFamily, route_family

_HEADERS: Final = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"Retry-After, X-Request-Id"),
    # Browsers must not send the URL as a referrer, because it contains the widget key.
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
PREFLIGHT: Final = {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "content-type, idempotency-key, x-widget-session, "
    "last-event-id",
    "access-control-max-age": "86400",
}
"""CORS preflight headers: allowed methods, allowed request headers, and cache lifetime."""


def standing_headers(path: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that every response at this path carries."""
    return [*_HEADERS] if route_family(path) is RouteFamily.WIDGET else []
