"""Error reports stored on disk until the tracker has accepted them.

Each process has a directory with a file lock. A report is a file: its number of occurrences in
`_WIDTH` digits, a newline, and the report as JSON.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog
from pydantic import ValidationError

from domain.core.error_report import ErrorReport
from domain.core.errors import InvalidInput

_WIDTH: Final = 10
_LOCK: Final = "lock"
_SUFFIX: Final = ".report"
# A directory gets its final name only after its lock is acquired. Otherwise another process could
# consider the directory abandoned.
_UNNAMED: Final = ".new-"

_log = structlog.get_logger(__name__)


class ReportSpool:
    """The on-disk error reports of one process, and the reports left by processes that have
    exited."""

    def __init__(self, root: Path, name: str) -> None:
        """Create this process's directory, with a name that is unique below the root. Raises
        InvalidInput if the root is not writable."""
        self._root = root
        self._own = root / name
        try:
            unnamed = root / f"{_UNNAMED}{name}"
            # `parents=True` would create parent folders that are open to other users.
            for folder in (*reversed(root.parents), root):
                folder.mkdir(mode=0o700, exist_ok=True)
            unnamed.mkdir(mode=0o700)
            self._lock = os.open(unnamed / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            unnamed.rename(self._own)
        except OSError as error:
            raise InvalidInput(f"ERROR_SPOOL: {root} cannot be written: {error.strerror}") from None

    def add(self, report_id: str, report: ErrorReport) -> None:
        """Store a report, which survives the process and, after `sync`, a crash of the machine.
        Raises OSError."""
        unnamed = self._own / f"{_UNNAMED}{report_id}"
        unnamed.write_bytes(_number(report.occurrences) + report.model_dump_json().encode())
        unnamed.rename(self._file(report_id))

    def count(self, report_id: str, occurrences: int) -> None:
        """Update a report's number of occurrences, with the same durability as `add`. Raises
        OSError if the file is missing or cannot be written."""
        file = os.open(self._file(report_id), os.O_WRONLY)
        try:
            os.pwrite(file, _number(occurrences), 0)
        finally:
            os.close(file)

    def remove(self, report_id: str) -> None:
        """Delete a report that the tracker has accepted. Raises OSError if the file cannot be
        deleted."""
        self._file(report_id).unlink(missing_ok=True)

    def sync(self, report_ids: Iterable[str]) -> None:
        """Flush these reports to disk. Blocks. Raises OSError."""
        for path in (*map(self._file, report_ids), self._own):
            with suppress(FileNotFoundError):  # The report has since been accepted and deleted.
                file = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(file)
                finally:
                    os.close(file)

    def adopt(self) -> Iterator[tuple[str, ErrorReport]]:
        """Move reports left by processes that have exited into this process's directory, and yield
        each report with its id. Raises OSError if a report cannot be moved or read."""
        for folder in sorted(self._root.iterdir()):
            if folder != self._own and not folder.name.startswith(_UNNAMED):
                yield from self._adopt_from(folder)

    def close(self) -> None:
        """Release the directory's lock. If reports are left in the directory, the next process
        adopts them."""
        with suppress(OSError):
            if not any(self._own.glob(f"*{_SUFFIX}")):
                _delete(self._own)
        os.close(self._lock)

    def _adopt_from(self, folder: Path) -> Iterator[tuple[str, ErrorReport]]:
        try:
            lock = os.open(folder / _LOCK, os.O_RDWR)
        except OSError:  # Another process has adopted and deleted this directory.
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for file in sorted(folder.glob(f"*{_SUFFIX}")):
                mine = self._own / file.name
                file.rename(mine)
                if (report := _read(mine)) is not None:
                    yield mine.stem, report
            _delete(folder)
        except BlockingIOError:  # The process that owns this directory is still running.
            return
        finally:
            os.close(lock)

    def _file(self, report_id: str) -> Path:
        return self._own / f"{report_id}{_SUFFIX}"


def _number(occurrences: int) -> bytes:
    return b"%0*d\n" % (_WIDTH, occurrences)


def _read(file: Path) -> ErrorReport | None:
    """Return a stored report, or None if a machine crash has damaged its file. A damaged file is
    renamed."""
    number, _, report = file.read_bytes().partition(b"\n")
    try:
        return ErrorReport.model_validate_json(report).model_copy(
            update={"occurrences": int(number)}
        )
    except (ValidationError, ValueError):
        _log.error("spooled error report is unreadable", file=file.name)
        file.rename(file.with_suffix(".unreadable"))
        return None


def _delete(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink(missing_ok=True)
    folder.rmdir()
