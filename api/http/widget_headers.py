"""Headers of every response of the widget's routes, errors and unknown paths included.

Any page may read them (CORS): no cookie is sent, so a page learns nothing about its user. The key
decides which pages may use it (`api/widget_access.py`).
"""

from typing import Final

from api.surface import Surface, surface_of

_HEADERS: Final = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"Retry-After, X-Request-Id"),
    # The key stands in the address.
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
PREFLIGHT: Final = {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "content-type, idempotency-key, x-widget-session, "
    "last-event-id",
    "access-control-max-age": "86400",
}
"""Headers that a browser may send, and how long it may cache that."""


def standing_headers(path: str) -> list[tuple[bytes, bytes]]:
    """Headers of every response at this path."""
    return [*_HEADERS] if surface_of(path) is Surface.WIDGET else []
