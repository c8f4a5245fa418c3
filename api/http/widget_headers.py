"""What every answer of the widget's routes says, errors too, and those of no route.

Any page may read them (CORS): no cookie goes with them, so a page learns nothing by its user. Which
pages may use a key is checked on the key (`api/widget_access.py`).
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
"""What a browser may send, for as long as it may remember that."""


def standing_headers(path: str) -> list[tuple[bytes, bytes]]:
    """What each answer at this path says, whatever it is."""
    return [*_HEADERS] if surface_of(path) is Surface.WIDGET else []
