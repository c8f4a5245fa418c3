"""Functions for request lines and headers, as returned by the parser. Header names are in lower
case."""

from collections.abc import Sequence

Headers = Sequence[tuple[bytes, bytes]]


def head_size(url: bytes, headers: Headers) -> int:
    """Return the approximate size of the head in bytes, slightly below the actual size."""
    return len(url) + sum(len(name) + len(value) + 4 for name, value in headers)


def is_sound(method: bytes, version: str, headers: Headers) -> bool:
    """Return True if the head obeys the HTTP rules that the parser does not check. Other requests
    are rejected because a reverse proxy might interpret their heads differently."""
    hosts = sum(name == b"host" for name, _ in headers)
    codings = [value.strip().lower() for name, value in headers if name == b"transfer-encoding"]
    if version == "1.0":
        return hosts <= 1 and not codings and method != b"CONNECT"
    return (
        version == "1.1" and hosts == 1 and codings in ([], [b"chunked"]) and method != b"CONNECT"
    )


def without_upgrade(method: bytes, url: bytes, version: str, headers: Headers) -> bytes:
    """Return the head as bytes, without upgrade headers."""
    lines = [b"%s %s HTTP/%s" % (method, url, version.encode())]
    lines += [b"%s: %s" % header for header in headers if header[0] != b"upgrade"]
    return b"\r\n".join([*lines, b"", b""])
