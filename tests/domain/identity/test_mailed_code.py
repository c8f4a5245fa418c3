"""Emailed codes: recipients, length and validity."""

from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.identity.code import code_digest
from domain.identity.mailed_code import (
    CODES_A_DAY,
    CODES_A_REQUESTER,
    CODES_AN_HOUR,
    CODES_AN_HOUR_AT_MOST,
    CODES_AT_MOST,
    NUMBERS,
    PLACE_CODES_AN_HOUR,
    REQUESTER_CODES_AN_HOUR,
    WRONG_A_DAY,
    CodeKind,
    CodePlace,
    MailedCodes,
    is_mailed_code,
    mailed_code_digest,
)

NOW = utc_now()
SEALER = FernetSealer(new_seal_key())
CLIENT, CODE_ID = new_ulid(), new_ulid()
NONE = MailedCodes(
    asked_of_place=0,
    oldest=None,
    mailed_of_place=0,
    shared_of_address=0,
    by_requester_lately=0,
    of_client=0,
    of_place=0,
    by_requester=0,
    of_address=0,
    wrong=0,
    is_known=False,
)
OWN, SHARED, HELD_BACK = CodeKind.OWN, CodeKind.SHARED, CodeKind.HELD_BACK


@pytest.mark.parametrize(
    ("asked", "minutes", "wait_s"), [(0, None, None), (2, 1, None), (3, 1, 3540), (3, 59, 60)]
)
def test_a_place_waits_for_its_fourth(
    asked: int, minutes: int | None, wait_s: float | None
) -> None:
    oldest = None if minutes is None else NOW - timedelta(minutes=minutes)
    assert replace(NONE, asked_of_place=asked, oldest=oldest).wait_s(NOW) == wait_s


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ({}, OWN),
        ({"of_place": 1, "of_address": CODES_A_DAY - 1}, OWN),
        ({"of_place": 1, "of_address": CODES_A_DAY}, SHARED),
        ({"of_place": 1, "by_requester": CODES_A_REQUESTER}, SHARED),
        ({"by_requester": CODES_A_REQUESTER}, OWN),
        ({"of_address": CODES_AT_MOST - 1}, OWN),
        ({"of_address": CODES_AT_MOST}, SHARED),
        ({"of_address": CODES_AT_MOST, "shared_of_address": 1}, HELD_BACK),
        ({"mailed_of_place": PLACE_CODES_AN_HOUR}, HELD_BACK),
        ({"by_requester_lately": REQUESTER_CODES_AN_HOUR}, HELD_BACK),
        ({"by_requester_lately": REQUESTER_CODES_AN_HOUR, "is_known": True}, OWN),
        ({"by_requester_lately": 1, "of_client": CODES_AN_HOUR}, HELD_BACK),
        ({"of_client": CODES_AN_HOUR}, OWN),
        ({"of_client": CODES_AN_HOUR_AT_MOST}, HELD_BACK),
        ({"of_client": CODES_AN_HOUR_AT_MOST, "is_known": True}, OWN),
        # Wrong attempts block nothing.
        ({"wrong": 10 * WRONG_A_DAY}, OWN),
    ],
)
def test_who_gets_a_code(made: dict[str, int], kind: CodeKind) -> None:
    assert replace(NONE, **made).next_kind is kind  # type: ignore[arg-type]


def test_a_code_has_six_digits_and_nine_where_codes_are_guessed_or_shared() -> None:
    guessed = replace(NONE, wrong=WRONG_A_DAY)
    shared = replace(NONE, of_address=CODES_AT_MOST)

    assert NONE.text_of_next(987_000_042) == "000042"
    assert guessed.text_of_next(42) == "000000042"
    assert shared.text_of_next(NUMBERS - 1) == "999999999"
    with pytest.raises(ValueError, match="below"):
        NONE.text_of_next(NUMBERS)


@pytest.mark.parametrize(
    ("code", "spaced"), [("012345", " 012-345 "), ("012345678", "012 345 678")]
)
def test_a_code_is_good_for_its_client_place_and_record_alone(code: str, spaced: str) -> None:
    digest = mailed_code_digest(SEALER, CodePlace.WIDGET, CLIENT, CODE_ID, code)

    def is_good(
        presented: str,
        place: CodePlace = CodePlace.WIDGET,
        client: str = CLIENT,
        code_id: str = CODE_ID,
    ) -> bool:
        return is_mailed_code(SEALER, place, client, code_id, presented=presented, digest=digest)

    assert is_good(spaced)
    for presented in (code[:-1] + "0", code[1:], "", "٠١٢٣٤٥", code + "0"):
        assert not is_good(presented)
    assert not is_good(code, CodePlace.TICKET)
    assert not is_good(code, code_id=new_ulid())
    assert not is_good(code, client=new_ulid())
    assert digest != code_digest(SEALER, CODE_ID, code)
    assert code.encode() not in digest
