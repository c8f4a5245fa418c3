"""Only the user can access the data folder, even if it existed before."""

import os
import stat
from pathlib import Path

import pytest

from domain.core.errors import InvalidInput
from embedded.data_folder import DataFolder
from embedded.postgres import EmbeddedPostgres
from embedded.private import close_folder

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
NOBODY = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_new(tmp_path: Path) -> None:
    assert mode(DataFolder(tmp_path / "data").root) == 0o700


def test_open_folder_of_an_earlier_version_is_closed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    mails = data / "mail"
    mails.mkdir(parents=True)
    files = (data / "lock", data / "temporal.db", mails / "1.eml")
    for file in files:
        file.write_text("")
        file.chmod(0o644)
    (mails / "elsewhere").symlink_to("/etc/passwd")
    for folder in (data, mails):
        folder.chmod(0o755)
    others = mode(Path("/etc/passwd"))

    DataFolder(data).close()

    # PostgreSQL started by root accesses the path through root's group.
    assert mode(data) == (0o710 if os.geteuid() == 0 else 0o700)
    assert mode(mails) == 0o700
    assert {mode(path) for path in (data / "lock", data / "temporal.db", mails / "1.eml")} == {
        0o600
    }
    assert mode(Path("/etc/passwd")) == others


def test_open_folder_of_other_things_stays_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "thesis.txt").write_text("")
    shared.chmod(0o755)

    with pytest.raises(InvalidInput, match="holds other things and is open"):
        DataFolder(shared)

    assert mode(shared) == 0o755


@needs_root
def test_folder_of_another_user(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)

    with pytest.raises(InvalidInput, match="no folder of this user"):
        DataFolder(theirs)


@needs_root
def test_file_of_another_user(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    (folder.root / "seal.key").write_text("theirs")
    os.chown(folder.root / "seal.key", NOBODY, NOBODY)

    with pytest.raises(InvalidInput, match=r"seal\.key belongs to another user"):
        folder.close()


def test_link_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)

    with pytest.raises(InvalidInput, match="no folder of this user"):
        close_folder(tmp_path / "link", ours=())


@needs_root
@pytest.mark.slow
def test_postgresql_of_root_opens_nothing(tmp_path: Path) -> None:
    """A path too long for a socket, which is then in /tmp; and a parent folder without access."""
    above = tmp_path / ("x" * 100)
    above.mkdir(mode=0o700)
    folder = DataFolder(above / "data")

    for _ in range(2):
        with EmbeddedPostgres(folder.postgres) as server:
            sockets = Path(server.owner_url.partition("host=")[2])
            assert sockets.parent.name == "support-engine-0"
            assert mode(sockets) == mode(folder.postgres) == 0o700
            assert mode(sockets.parent) & stat.S_IRWXO == 0
            assert mode(DataFolder(folder.root).root) == 0o710
            assert mode(above) & (stat.S_IRGRP | stat.S_IROTH) == 0
