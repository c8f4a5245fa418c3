"""TCP ports of this machine."""

import contextlib
import secrets
import socket
from typing import Final

from domain.core.errors import InvalidInput

# Below those that the system gives to whoever wants any port, so that it is still free later.
_OURS: Final = range(20_000, 32_000)


def free_port() -> int:
    """A port that nobody uses now."""
    while True:
        port = secrets.choice(_OURS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def check_free(port: int, host: str = "127.0.0.1") -> None:
    """Raises InvalidInput if a server listens there already."""
    if not 1 <= port <= 65535:
        raise InvalidInput(f"port {port}: a number from 1 to 65535 expected")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InvalidInput(
                f"port {port} is in use: stop what uses it, or choose another "
                "(--port N, or PORT=N make run)"
            ) from error
