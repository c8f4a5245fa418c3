"""A Temporal server of this test process, replaced when it has many namespaces.

A namespace costs its server CPU for as long as the server runs: a sixteenth of a percent of a core
each while nobody uses it. With the seven hundred of a whole run, a server kept callers waiting for
longer than the engine waits.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.support.core.temporal import TemporalServer, temporal_server

_MANY: Final = 40


class TemporalServers:
    """`folder`: for the servers' logs."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "temporal.log"
        self._held = ExitStack()
        self._server: TemporalServer | None = None

    def current(self) -> TemporalServer:
        """A server with few namespaces. The one of the last call may end now."""
        if self._server is None or self._server.namespaces >= _MANY:
            self.end()
            self._server = self._held.enter_context(temporal_server(self._log))
        return self._server

    def end(self) -> None:
        self._held.close()


@contextmanager
def temporal_servers(folder: Path) -> Iterator[TemporalServers]:
    servers = TemporalServers(folder)
    try:
        yield servers
    finally:
        servers.end()
