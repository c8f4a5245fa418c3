"""A session's token, and what nobody can make of it."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid
from domain.core.ids import first_ulid
from domain.widget.widget_session import (
    MAX_TOKEN,
    SESSION_LASTS,
    HeldSession,
    held_session,
    may_begin,
    session_token,
)

KEY = new_seal_key()
SEALER = FernetSealer(KEY)
CLIENT, SESSION = new_ulid(), new_ulid()
TOKEN = session_token(SEALER, CLIENT, SESSION)
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_a_token_is_of_one_held_session_one_client() -> None:
    assert held_session(SEALER, CLIENT, TOKEN) == HeldSession(SESSION, is_proved=False)
    assert held_session(SEALER, new_ulid(), TOKEN) is None
    assert held_session(FernetSealer(new_seal_key()), CLIENT, TOKEN) is None
    proved = session_token(SEALER, CLIENT, SESSION, is_proved=True)
    assert proved != TOKEN
    assert held_session(SEALER, CLIENT, proved) == HeldSession(SESSION, is_proved=True)
    assert len(TOKEN) <= MAX_TOKEN


def test_a_token_outlives_a_rotation_of_the_seal_key() -> None:
    rotated = FernetSealer(f"{new_seal_key()},{KEY}")
    assert held_session(rotated, CLIENT, TOKEN) == HeldSession(SESSION, is_proved=False)
    assert session_token(rotated, CLIENT, SESSION) != TOKEN


@pytest.mark.parametrize("at", range(len(TOKEN)))
def test_no_character_of_a_token_can_be_changed(at: int) -> None:
    other = "0" if TOKEN[at] != "0" else "1"
    assert held_session(SEALER, CLIENT, TOKEN[:at] + other + TOKEN[at + 1 :]) is None


@pytest.mark.parametrize(
    "forged",
    [
        "", ".", SESSION, f"{SESSION}.", TOKEN[:-1], f"{TOKEN}A", f"{TOKEN}=", f" {TOKEN}",
        TOKEN.lower(), f"{TOKEN}.{TOKEN}", f"{SESSION}.é", TOKEN.partition(".")[2],
        f"{new_ulid()}.{TOKEN.partition('.')[2]}", "x" * 100_000,
    ],
    # The tokens are random, and each process must give the tests the same names.
    ids=[f"forged-{number}" for number in range(14)],
)  # fmt: skip
def test_what_was_not_signed_is_no_token(forged: str) -> None:
    assert held_session(SEALER, CLIENT, forged) is None


def test_an_id_begins_a_session_for_as_long_as_a_session_lasts() -> None:
    assert may_begin(first_ulid(NOW), NOW)
    assert may_begin(first_ulid(NOW), NOW + SESSION_LASTS)
    assert not may_begin(first_ulid(NOW), NOW + SESSION_LASTS + timedelta(seconds=1))
