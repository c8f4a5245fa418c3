"""Settings that cannot work are refused when a process starts, not when somebody signs in."""

from pathlib import Path

import pytest

from adapters.identity.session_key import new_session_key
from settings import Settings
from tests.support.core.engine import settings_of
from tests.support.servers.tls import certificate_authority


def identity_settings(**more: object) -> Settings:
    return settings_of("postgresql://u@h/d", "h:1", **more)


@pytest.mark.parametrize(
    "wrong",
    [
        {"jwt_algorithms": "HS256"},
        {"jwt_algorithms": "RS256,HS256"},
        {"jwt_algorithms": "none"},
        {"jwt_algorithms": "RS256,"},
        {"jwt_algorithms": ""},
        {"jwt_jwks_url": "http://login.example/jwks"},
        {"jwt_jwks_url": "http://127.0.0.1.evil.example/jwks"},
        {"jwt_jwks_url": "file:///etc/passwd"},
        {"jwt_jwks_url": "https://"},
        {"jwt_jwks_url": "https://login.example:port/"},
        {"jwt_jwks_url": None},
        {"jwt_issuer": None},
        {"jwt_audience": None},
        {"session_key": "nonsense"},
        {"session_key": new_session_key() + ",nonsense"},
    ],
)
def test_settings_that_are_refused(wrong: dict[str, object]) -> None:
    good: dict[str, object] = {
        "jwt_jwks_url": "https://login.example/jwks", "jwt_issuer": "i", "jwt_audience": "a"
    }  # fmt: skip
    identity_settings(**good)

    with pytest.raises(ValueError, match="validation error"):
        identity_settings(**{**good, **wrong})


def test_an_authority_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with certificate_authority() as authority:
        assert identity_settings(webhook_ca_file=authority.file).webhook_ca_file == authority.file
    empty = tmp_path / "empty.pem"
    empty.touch()
    for wrong in (empty, tmp_path / "nowhere.pem", tmp_path):
        with pytest.raises(ValueError, match="a file of certificates"):
            identity_settings(webhook_ca_file=wrong)
