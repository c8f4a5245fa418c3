"""Remove cookies that are expensive to parse."""

from collections.abc import Sequence

Header = tuple[bytes, bytes]


def without_escaped_cookies(headers: Sequence[Header]) -> Sequence[Header]:
    """Return the headers without cookies that contain a backslash. The service sets no such cookie.

    FastAPI parses all cookies of each request. Before Python 3.11.10 and 3.12.5, the standard
    library unescapes cookies in quadratic time (CVE-2024-7592).
    """
    if not any(name == b"cookie" and b"\\" in value for name, value in headers):
        return headers
    return [
        (name, _without_escaped(value) if name == b"cookie" else value) for name, value in headers
    ]


def _without_escaped(value: bytes) -> bytes:
    return b";".join(pair for pair in value.split(b";") if b"\\" not in pair)
