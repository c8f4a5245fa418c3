"""A session token, and its protection against forgery."""

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
    visitor_digest,
)

KEY = new_seal_key()
SEALER = FernetSealer(KEY)
CLIENT, SESSION = new_ulid(), new_ulid()
TOKEN = session_token(SEALER, CLIENT, SESSION)
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_a_token_is_of_one_held_session_one_client() -> None:
    assert held_session(SEALER, CLIENT, TOKEN) == HeldSession(SESSION)
    assert held_session(SEALER, new_ulid(), TOKEN) is None
    assert held_session(FernetSealer(new_seal_key()), CLIENT, TOKEN) is None
    proved = session_token(SEALER, CLIENT, SESSION, "ann@x.example")
    assert proved != TOKEN
    visitor = visitor_digest(SESSION, "ann@x.example")
    assert held_session(SEALER, CLIENT, proved) == HeldSession(SESSION, visitor)
    assert held_session(SEALER, new_ulid(), proved) is None
    assert len(proved) <= MAX_TOKEN


def test_a_visitors_token_opens_the_session_of_their_address_alone() -> None:
    proved = held_session(SEALER, CLIENT, session_token(SEALER, CLIENT, SESSION, "ann@x.example"))
    anonymous = held_session(SEALER, CLIENT, TOKEN)
    assert proved is not None
    assert anonymous is not None
    emails = (None, "ann@x.example", "bob@x.example")
    assert [proved.opens(email) for email in emails] == [True, True, False]
    assert [anonymous.opens(email) for email in emails] == [True, False, False]


def test_the_visitor_of_a_token_can_not_be_exchanged() -> None:
    proved = session_token(SEALER, CLIENT, SESSION, "ann@x.example")
    _, visitor, mark = proved.split(".")
    other = visitor_digest(SESSION, "bob@x.example")
    for forged in (
        f"{SESSION}.{other}.{mark}", f"{SESSION}.{mark}", f"{SESSION}.{visitor}",
        f"{SESSION}..{mark}",
        f"{SESSION}.{visitor}.{TOKEN.partition('.')[2]}", f"{SESSION}.{visitor}.{visitor}.{mark}",
    ):  # fmt: skip
        assert held_session(SEALER, CLIENT, forged) is None


def test_a_token_outlives_a_rotation_of_the_seal_key() -> None:
    rotated = FernetSealer(f"{new_seal_key()},{KEY}")
    assert held_session(rotated, CLIENT, TOKEN) == HeldSession(SESSION)
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
    # The tokens are random, but each process must give the tests the same names.
    ids=[f"forged-{number}" for number in range(14)],
)  # fmt: skip
def test_what_was_not_signed_is_no_token(forged: str) -> None:
    assert held_session(SEALER, CLIENT, forged) is None


def test_an_id_begins_a_session_for_as_long_as_a_session_lasts() -> None:
    assert may_begin(first_ulid(NOW), NOW)
    assert may_begin(first_ulid(NOW), NOW + SESSION_LASTS)
    assert not may_begin(first_ulid(NOW), NOW + SESSION_LASTS + timedelta(seconds=1))
