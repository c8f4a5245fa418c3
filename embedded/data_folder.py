"""The data folder: the stack's stored data, and the addresses and settings of its running
processes."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from domain.core.errors import InvalidInput
from embedded.private import close_content, close_folder, passing_group


class StackInfo(BaseModel):
    """The description of a running stack. `env` are the settings that connect a process to it.
    `pids` are process ids by name, for display only."""

    env: dict[str, str]
    api_url: str
    ui_url: str
    pids: dict[str, int]

    @property
    def instance(self) -> str:
        """Return the stack's id. Only this stack's API returns the id, in the `instance` field."""
        return self.env["INSTANCE_ID"]


# The stack does not change access to these entries. PostgreSQL manages the folder `postgres`, as a
# separate user if we are root. The `make demo` command manages the folder `demo`.
_NOT_OURS: Final = ("postgres", "demo")
_MARKS: Final = ("lock", "postgres", "seal.key", "session.key", "stack.json", "demo")


class DataFolder:
    """A stack's data folder, created if missing. Raises InvalidInput if the folder is not writable,
    belongs to another user, or contains only files from other programs and is accessible to other
    users."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.root / ".writable").write_text("")
            (self.root / ".writable").unlink()
        except OSError as error:
            raise InvalidInput(f"the folder {self.root} cannot be written: {error.strerror}") from (
                error
            )
        close_folder(self.root, ours=_MARKS, may_pass=passing_group())

    def close(self) -> None:
        """Remove other users' access to the folder's content, including files created by other
        processes.

        Raises InvalidInput if some of the content belongs to another user.
        """
        close_content(self.root, but=_NOT_OURS)

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def temporal(self) -> Path:
        return self.root / "temporal.db"

    @property
    def mail(self) -> Path:
        return self.root / "mail"

    @property
    def shop(self) -> Path:
        """The file that contains the demo shop's orders."""
        return self.root / "shop.db"

    @property
    def demo_shops(self) -> Path:
        """The folder of the demo shops that members connect themselves."""
        return self.root / "demo-shops"

    @property
    def error_reports(self) -> Path:
        """The folder of error reports that have not yet been sent to the database or the error
        tracker."""
        return self.root / "error-reports"

    @property
    def authority(self) -> Path:
        """The certificate of this folder's certificate authority (`embedded/certificates.py`)."""
        return self.root / "ca.pem"

    @property
    def trusted(self) -> Path:
        """The CA bundle: this folder's authority, and the authorities in the file at
        WEBHOOK_CA_FILE."""
        return self.root / "trusted.pem"

    @property
    def certificate(self) -> Path:
        """The file with the key and certificate for the HTTPS servers on this machine."""
        return self.root / "https.pem"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def demo(self) -> Path:
        return self.root / "demo.json"

    def seal_key(self) -> str:
        """Return this folder's encryption key (SEAL_KEY), created on first use."""
        # The module is imported here because few commands need its cryptography.
        from adapters.seal import new_seal_key  # noqa: PLC0415 - slow to load

        return self._kept("seal.key", new_seal_key)

    def session_key(self) -> str:
        """Return the key that signs this folder's session tokens, created on first use."""
        # The module is imported here because few commands need its cryptography.
        from adapters.identity.session_key import new_session_key  # noqa: PLC0415 - slow to load

        return self._kept("session.key", new_session_key)

    def _kept(self, name: str, new: Callable[[], str]) -> str:
        path = self.root / name
        if not path.exists():
            write_private(path, new())
        return path.read_text()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder while the block runs. Raises InvalidInput if another stack is running on
        this folder."""
        with (self.root / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InvalidInput(
                    f"a stack is running on {self.root} already: stop it, or choose --data DIR"
                ) from error
            yield

    def publish(self, info: StackInfo) -> None:
        write_private(self.root / "stack.json", info.model_dump_json(indent=2))

    def withdraw(self) -> None:
        (self.root / "stack.json").unlink(missing_ok=True)


def kept_folder(root: Path) -> DataFolder:
    """Return the folder at `root`, which must contain a stack's data. Raises InvalidInput
    otherwise.

    It is not created, because a mistyped name would open an empty database.
    """
    if not any((root / mark).exists() for mark in _MARKS):
        raise InvalidInput(
            f"there is no data in {root}: --data names another folder, DATABASE_URL a database, "
            "and `cli.py dev` begins a new one"
        )
    return DataFolder(root)


def running_stack(root: Path) -> StackInfo | None:
    """Return the stack that is running on the data folder `root`, or None. A missing folder is not
    created."""
    published = root / "stack.json"
    if not published.exists():
        return None
    try:
        with DataFolder(root).locked():
            return None  # A killed stack left the file behind.
    except InvalidInput:
        return StackInfo.model_validate_json(published.read_text())


def write_private(path: Path, text: str) -> None:
    """Atomically write a file that only its owner may read."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
    partial.rename(path)
