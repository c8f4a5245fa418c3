"""TCP ports of this machine.

A port is taken by listening on it: between a look whether it is free and a start anybody may come.
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
# Below those that the system gives to whoever wants any port, so that it is still free later.
_OURS: Final = range(20_000, 32_000)


class PortTaken(InvalidInput):
    """Somebody else listens on a port that was to be ours."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"port {port} is in use: stop what uses it, or choose another "
            "(--port N, or PORT=N make run)"
        )


def listening(port: int | None = None, host: str = LOOPBACK) -> socket.socket:
    """A socket that listens, without `port` on one that nobody uses. Calls wait in it until a
    process accepts them. Raises PortTaken, or InvalidInput if `host` cannot be listened on."""
    if port is None:
        while True:
            with contextlib.suppress(PortTaken):
                return listening(secrets.choice(_OURS), host)
    if not 1 <= port <= 65535:
        raise InvalidInput(f"port {port}: a number from 1 to 65535 expected")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # A name of this machine may mean two; callers try 127.0.0.1 first.
        family, _, _, _, address = min(found, key=lambda it: it[0] != socket.AF_INET)
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(port) from error
        raise InvalidInput(f"HOST {host} cannot be listened on: {error.strerror}") from error


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def port_of(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port


def free_port() -> int:
    """A port that nobody uses now, for a program that takes no socket of ours: it may be taken
    before that program has it."""
    while True:
        port = secrets.choice(_OURS)
        if is_free(port):
            return port


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether nobody listens there now."""
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        return True
    return False


def listens(pid: int, port: int) -> bool:
    """Whether it is this process, of ours, that listens on the port."""
    # Only here: a server installation has no embedded packages.
    import psutil  # noqa: PLC0415

    try:
        ends = psutil.Process(pid).net_connections("tcp")
    except psutil.NoSuchProcess:
        return False
    return any(end.status == psutil.CONN_LISTEN and end.laddr.port == port for end in ends)
