"""Faults of a webhook receiver."""

import gzip
import socket
import ssl
import struct
import threading
import warnings
from enum import StrEnum

_PAUSE_S = 0.02


class Fault(StrEnum):
    """A fault. The faults in the first group precede the request, which then does not appear in
    `seen`."""

    CLOSES_AT_ONCE = "closes_at_once"
    NO_HANDSHAKE = "no_handshake"
    PLAIN_HTTP = "plain_http"
    OLD_TLS = "old_tls"

    NEVER_ANSWERS = "never_answers"
    CLOSES = "closes"
    RESETS = "resets"
    GARBAGE = "garbage"
    DRIPS_HEADERS = "drips_headers"
    HUGE_HEADER = "huge_header"
    ENDLESS_HEADERS = "endless_headers"
    ENDLESS_1XX = "endless_1xx"
    DRIPS_BODY = "drips_body"
    ENDLESS_BODY = "endless_body"
    TINY_CHUNKS = "tiny_chunks"
    GZIP_BOMB = "gzip_bomb"
    CUTS_BODY = "cuts_body"


_OK = "HTTP/1.1 200 OK\r\n"

# The bytes that are sent before the connection is closed.
_ALL_OF_IT = {
    Fault.CLOSES: b"",
    Fault.GARBAGE: b"220 mail.shop.example ESMTP ready\r\n",
    Fault.HUGE_HEADER: _OK.encode() + b"X-Huge: " + b"a" * 2**20 + b"\r\n\r\n",
    Fault.CUTS_BODY: _OK.encode() + b"Content-Length: 1000\r\n\r\nthe first words",
}
# The bytes that are sent one by one.
_DRIPPED = {
    Fault.DRIPS_HEADERS: _OK.encode() + b"X-Slow: ",
    Fault.DRIPS_BODY: _OK.encode() + b"Content-Length: 9999999\r\n\r\n",
}
# The bytes that are sent first, and the bytes that are then sent repeatedly.
_POURED = {
    Fault.ENDLESS_HEADERS: (_OK.encode(), b"X-More: of it\r\n" * 1000),
    Fault.ENDLESS_1XX: (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 1000),
    Fault.ENDLESS_BODY: (
        _OK.encode() + b"Transfer-Encoding: chunked\r\n\r\n",
        b"10000\r\n" + b"x" * 0x10000 + b"\r\n",
    ),
    Fault.TINY_CHUNKS: (
        _OK.encode() + b"Transfer-Encoding: chunked\r\n\r\n",
        (b"1;" + b"x" * 1000 + b"\r\na\r\n") * 100,
    ),
}

# Chunks that are compressed separately are decompressed as one.
_BOMB = gzip.compress(bytes(2**20), compresslevel=9) * 256


def old_tls(context: ssl.SSLContext) -> ssl.SSLContext:
    """Return a context with TLS 1.0 and 1.1 only."""
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


def spoil(connection: ssl.SSLSocket, fault: Fault, let_go: threading.Event) -> None:
    """Cause the fault after the request, until the peer disconnects (OSError) or `let_go` is
    set."""
    if fault is Fault.NEVER_ANSWERS:
        until_gone(connection, let_go)
    elif fault is Fault.RESETS:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    elif fault is Fault.GZIP_BOMB:
        opening = f"{_OK}Content-Encoding: gzip\r\nContent-Length: {len(_BOMB)}\r\n\r\n"
        connection.sendall(opening.encode() + _BOMB)
    elif fault in _DRIPPED:
        connection.sendall(_DRIPPED[fault])
        while not let_go.wait(_PAUSE_S):
            connection.sendall(b"a")
    elif fault in _POURED:
        head, more = _POURED[fault]
        connection.sendall(head)
        while not let_go.is_set():
            connection.sendall(more)
    else:
        connection.sendall(_ALL_OF_IT[fault])


def until_gone(connection: socket.socket, let_go: threading.Event) -> None:
    """Send nothing until the peer closes or `let_go` is set."""
    connection.settimeout(_PAUSE_S)
    while not let_go.is_set():
        try:
            if not connection.recv(4096):
                return
        except TimeoutError:
            continue
