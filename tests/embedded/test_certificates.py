"""The data folder's own certificate authority."""

import ssl
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domain.core.errors import InvalidInput
from embedded.certificates import trusted_authorities
from embedded.data_folder import DataFolder

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def authorities(file: Path) -> int:
    """Return the number of authorities that a client with this file trusts."""
    return len(ssl.create_default_context(cafile=str(file)).get_ca_certs())


def test_made_once(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    file = trusted_authorities(folder, None, NOW)
    before = file.read_bytes(), folder.certificate.read_bytes()

    assert trusted_authorities(folder, None, NOW) == file
    assert (file.read_bytes(), folder.certificate.read_bytes()) == before
    assert stat.S_IMODE(folder.certificate.stat().st_mode) == 0o600
    assert b"PRIVATE" not in file.read_bytes()
    assert [b"PRIVATE" in it.read_bytes() for it in tmp_path.iterdir()].count(True) == 1


def test_beside_those_that_are_given(tmp_path: Path) -> None:
    own, others = DataFolder(tmp_path / "own"), DataFolder(tmp_path / "others")
    given = trusted_authorities(others, None, NOW)

    both = trusted_authorities(own, str(given), NOW)

    assert authorities(both) == 2
    assert authorities(trusted_authorities(own, None, NOW)) == 1, "given no more, believed no more"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "none.pem"

    with pytest.raises(InvalidInput, match=r"WEBHOOK_CA_FILE: .*none\.pem cannot be read"):
        trusted_authorities(DataFolder(tmp_path), str(missing), NOW)
