"""TCP ports on this machine.

A port is reserved by listening on it. Only checking that it is free leaves time for another process
to take it.
"""

import contextlib
import errno
import secrets
import socket
from ipaddress import ip_address
from typing import Final

from domain.core.errors import InvalidInput

LOOPBACK: Final = "127.0.0.1"
_BACKLOG: Final = 2048
# The range is below the ephemeral ports, so that the operating system does not assign a chosen port
# to another process in the meantime.
_OURS: Final = range(20_000, 32_000)


class PortTaken(InvalidInput):
    """Another process is listening on the requested port."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"port {port} is in use: stop what uses it, or choose another "
            "(--port N, or PORT=N make run)"
        )


def listening(port: int | None = None, host: str = LOOPBACK) -> socket.socket:
    """Return a socket that listens on `port`, or on a free one if None.

    Connections wait in its backlog for a process. Raises PortTaken, and InvalidInput for an
    unusable `host` or `port`.
    """
    if port is None:
        while True:
            with contextlib.suppress(PortTaken):
                return listening(secrets.choice(_OURS), host)
    if not 1 <= port <= 65535:
        raise InvalidInput(f"port {port}: a number from 1 to 65535 expected")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # If the host name resolves to an IPv6 and an IPv4 address, use IPv4, because callers try
        # 127.0.0.1 first.
        family, _, _, _, address = min(found, key=lambda it: it[0] != socket.AF_INET)
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(port) from error
        raise InvalidInput(f"HOST {host} cannot be listened on: {error.strerror}") from error


def is_loopback(host: str) -> bool:
    """Return True if a server that listens on `host` is reachable only from this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def port_of(listener: socket.socket) -> int:
    """Return the port on which a socket listens."""
    port: int = listener.getsockname()[1]
    return port


def free_port() -> int:
    """Return a free port, for a program that cannot inherit a socket. Another process may take the
    port before the program starts listening on it."""
    while True:
        port = secrets.choice(_OURS)
        if is_free(port):
            return port


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Return True if the port is currently free."""
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        return True
    return False


def listens(pid: int, port: int) -> bool:
    """Return whether the process `pid` listens on the port. The process must belong to this
    user."""
    # The package is imported here because a server installation does not include the embedded
    # stack's packages.
    import psutil  # noqa: PLC0415

    try:
        ends = psutil.Process(pid).net_connections("tcp")
    except psutil.NoSuchProcess:
        return False
    return any(end.status == psutil.CONN_LISTEN and end.laddr.port == port for end in ends)
