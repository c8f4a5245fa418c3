"""Remove cookies that are expensive to parse."""

from collections.abc import Sequence

Header = tuple[bytes, bytes]


def without_escaped_cookies(headers: Sequence[Header]) -> Sequence[Header]:
    """Return the headers without cookies that contain a backslash, which the service never sets.

    Before Python 3.11.10 and 3.12.5, parsing them takes quadratic time (CVE-2024-7592).
    """
    if not any(name == b"cookie" and b"\\" in value for name, value in headers):
        return headers
    return [
        (name, _without_escaped(value) if name == b"cookie" else value) for name, value in headers
    ]


def _without_escaped(value: bytes) -> bytes:
    return b";".join(pair for pair in value.split(b";") if b"\\" not in pair)
