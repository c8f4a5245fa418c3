"""The Temporal server of this test process, replaced after several namespaces.

An unused namespace costs half a percent of a CPU core, and 700 of them delay callers beyond the
engine's timeout. Starting a server costs as much CPU time as eight namespaces.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.support.core.temporal import TemporalServer, temporal_server

_MANY: Final = 8
# The next test file may not need a server.
_LEFT: Final = 3


class TemporalServers:
    """The Temporal servers of this process. `folder` is the folder for the servers' logs."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "temporal.log"
        self._held = ExitStack()
        self._server: TemporalServer | None = None

    def current(self) -> TemporalServer:
        """Return a server with few namespaces. The server from the previous call may end."""
        if self._server is None or self._server.namespaces >= _MANY:
            self.end()
            self._server = self._held.enter_context(temporal_server(self._log))
        return self._server

    def end_if_used(self) -> None:
        """End the server after a test file, because the rest of the run may not need it."""
        if self._server is not None and self._server.namespaces >= _LEFT:
            self.end()

    def end(self) -> None:
        self._held.close()
        self._server = None


@contextmanager
def temporal_servers(folder: Path) -> Iterator[TemporalServers]:
    servers = TemporalServers(folder)
    try:
        yield servers
    finally:
        servers.end()
