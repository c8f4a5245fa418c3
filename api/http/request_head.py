"""A request's line and headers, as the parser gives them: names in lower case."""

from collections.abc import Sequence

Headers = Sequence[tuple[bytes, bytes]]


def head_size(url: bytes, headers: Headers) -> int:
    """Bytes on the wire, a few less."""
    return len(url) + sum(len(name) + len(value) + 4 for name, value in headers)


def is_sound(method: bytes, version: str, headers: Headers) -> bool:
    """Rules of HTTP for a request's head that the parser does not check. A request that a proxy
    before us could read differently must not pass."""
    hosts = sum(name == b"host" for name, _ in headers)
    codings = [value.strip().lower() for name, value in headers if name == b"transfer-encoding"]
    if version == "1.0":
        return hosts <= 1 and not codings and method != b"CONNECT"
    return (
        version == "1.1" and hosts == 1 and codings in ([], [b"chunked"]) and method != b"CONNECT"
    )


def without_upgrade(method: bytes, url: bytes, version: str, headers: Headers) -> bytes:
    """The head again, without its offer to change to another protocol."""
    lines = [b"%s %s HTTP/%s" % (method, url, version.encode())]
    lines += [b"%s: %s" % header for header in headers if header[0] != b"upgrade"]
    return b"\r\n".join([*lines, b"", b""])
