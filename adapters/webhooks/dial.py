"""Connections to a host's IP addresses, protected against SSRF."""

import asyncio
import socket
import ssl
from collections.abc import Sequence
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import certifi

from adapters.webhooks.failures import PostFailed
from adapters.webhooks.parsing_cost import PIECE
from domain.core.errors import EngineUnavailable
from domain.webhooks.address_guard import Address, canonical, forbidden
from domain.webhooks.delivery import FailureKind

HTTP: Final = "http/1.1"
"""The ALPN protocol name of HTTP/1.1."""
_CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""The ciphers for TLS 1.2. Those of TLS 1.3 cannot be restricted, and have the same cost."""
_CURVE: Final = "prime256v1"
"""The group for key exchange, also in TLS 1.3. RFC 8446 requires every server to support it."""
_CHECKED: Final = 32
"""Maximum number of a host name's addresses that are checked. The others are never dialled."""
_TRIED: Final = 4
"""Maximum number of addresses tried for one host name."""
_MOST_RECEIVED: Final = 512 * 1024
"""Maximum number of bytes received on a connection, before decryption. The responses that are read
take a fifth of it."""
_EACH_S: Final = 2.0
"""Connection timeout for each address except the last, in seconds. It prevents an unresponsive
address, often a broken IPv6 address, from using up the deadline."""


@cache
def tls_context(ca_file: Path | None, *protocols: str) -> ssl.SSLContext:
    """Return a cached context for TLS 1.2 or newer that checks the certificate and the host name.

    It trusts the public authorities and those in `ca_file`. Loading them takes a tenth of a second
    of CPU. `protocols` are ALPN names. Raises OSError for an invalid `ca_file`.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    # A server may choose the parameters of finite-field Diffie-Hellman. With 10,000 bits, the
    # handshake blocks the event loop for a second.
    context.set_ciphers(_CIPHERS)
    context.set_ecdh_curve(_CURVE)
    if protocols:
        context.set_alpn_protocols(protocols)
    context.load_verify_locations(certifi.where())
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


def vetted(found: Sequence[str], *, allow_private: bool) -> list[Address]:
    """Return the addresses without duplicates. Raises PostFailed if any address is forbidden,
    because such a host name is an attack or a mistake."""
    addresses = [ip_address(text) for text in found[:_CHECKED]]
    for address in addresses:
        check(address, allow_private=allow_private)
    return [*dict.fromkeys(map(canonical, addresses))]


def check(address: Address, *, allow_private: bool) -> None:
    """Raise PostFailed if a connection to this address is forbidden."""
    reason = forbidden(address, allow_private)
    if reason is not None:
        raise PostFailed(
            FailureKind.BLOCKED_ADDRESS, f"the host's address is not allowed: {reason}"
        )


class BoundedSocket(socket.socket):
    """A socket that limits the bytes received in one turn of the event loop, and in total.

    A server may send TLS session tickets without end. OpenSSL processes all received tickets in one
    step, up to 0.4 s for the 256 KB that asyncio receives at once.
    """

    _left = _MOST_RECEIVED

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        """Receive into the buffer, and return the number of bytes. Raises ConnectionAbortedError
        beyond the total limit."""
        received = super().recv_into(buffer, min(nbytes or PIECE, PIECE), flags)
        self._left -= received
        if self._left < 0:
            raise ConnectionAbortedError("the server sends too much")
        return received


class Dialler:
    """One connection to a host. `dialled` is the last address tried."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self.dialled: Address | None = None

    async def connect(self, addresses: Sequence[Address], port: int) -> socket.socket:
        """Connect to the first address that accepts the connection. Raises PostFailed,
        EngineUnavailable, and OSError if no address accepts it."""
        *others, last = addresses[:_TRIED]
        for address in others:
            try:
                async with asyncio.timeout(_EACH_S):
                    return await self._dial(address, port)
            except OSError:  # OSError includes TimeoutError.
                continue
        return await self._dial(last, port)

    async def _dial(self, address: Address, port: int) -> socket.socket:
        # The address is checked immediately before connecting, even if the caller has already
        # checked it.
        check(address, allow_private=self._allow_private)
        self.dialled = address
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        try:
            sock = BoundedSocket(family, socket.SOCK_STREAM)
        except OSError as error:
            # This error means that our process has too many open files. It must not be recorded as
            # a failure of the receiver.
            raise EngineUnavailable("no socket is left") from error
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().sock_connect(sock, (str(address), port))
        except BaseException:
            sock.close()
            raise
        return sock
