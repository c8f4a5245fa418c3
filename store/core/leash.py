"""A time limit on a connection that holds when the server is silent."""

import asyncio
import os
import socket
from types import TracebackType
from typing import Final, Self

import psycopg


class Leash:
    """Cuts the connection's socket when the loop's time is there, which ends whatever waits on it.

    Cancelling would not do: psycopg then asks the same silent server to stop, and waits for it.
    Without a time, and after the block, it is loose.
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
        """Cut at that time of the loop's clock, in place of any other."""
        self.loosen()
        self._timer = asyncio.get_running_loop().call_at(deadline, self._cut)

    def within(self, seconds: float) -> None:
        """The same, from now on."""
        self.until(asyncio.get_running_loop().time() + seconds)

    def loosen(self) -> None:
        """No limit until the next one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _cut(self) -> None:
        if not self._connection.closed:
            with socket.socket(fileno=os.dup(self._connection.fileno())) as handle:
                handle.shutdown(socket.SHUT_RDWR)
