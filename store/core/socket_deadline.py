"""A socket deadline for a connection. It works even if the server does not respond."""

import asyncio
import os
import socket
from types import TracebackType
from typing import Final, Self

import psycopg


class SocketDeadline:
    """A deadline for a connection's socket, which is shut down when it passes. This ends every
    operation on it.

    Cancelling the task is not sufficient: psycopg then waits for the same unresponsive server to
    cancel the statement. The first call to `until` or `within` starts the deadline, and the `with`
    block's end removes it.
    """

    def __init__(self, connection: object) -> None:
        if not isinstance(connection, psycopg.AsyncConnection):
            raise TypeError("a psycopg connection is expected")
        self._connection: Final = connection
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.loosen()

    def until(self, deadline: float) -> None:
        """Set the deadline to a time on the event loop's clock, replacing any earlier deadline."""
        self.loosen()
        self._timer = asyncio.get_running_loop().call_at(deadline, self._cut)

    def within(self, seconds: float) -> None:
        """Set the deadline to `seconds` from now, replacing any earlier deadline."""
        self.until(asyncio.get_running_loop().time() + seconds)

    def loosen(self) -> None:
        """Remove the deadline, so that operations on the socket may take any amount of time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cut(self) -> None:
        if not self._connection.closed:
            with socket.socket(fileno=os.dup(self._connection.fileno())) as handle:
                handle.shutdown(socket.SHUT_RDWR)
