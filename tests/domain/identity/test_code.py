"""The code: without the code or the key nothing can be learned, and guessing is impractical."""

from dataclasses import asdict, replace

import pytest
from cryptography.fernet import Fernet

from adapters.seal import FernetSealer
from domain.identity.code import (
    CODES,
    CODES_AT_MOST,
    TRIES,
    TRIES_ELSEWHERE,
    TRIES_SPARE,
    CodesMade,
    Tries,
    code_digest,
    code_text,
    is_code,
    tries_of_next,
)

KEY = Fernet.generate_key().decode()
SEALER = FernetSealer(KEY)


def test_guessing_all_day_from_many_networks_is_bounded() -> None:
    """Each request comes from a new network and uses all its attempts."""
    guesses, hours = 0, [0] * 24
    strangers = 0
    for hour in range(24):
        for _ in range(100):
            made = CodesMade(
                is_known=True,
                is_trusted=False,
                by_strangers=strangers,
                by_requester=0,
                within_hour=hours[hour],
                by_requester_within_hour=0,
                to_strangers=0,
            )
            if tries := tries_of_next(made, to_strangers=10):
                guesses += tries.at_home + tries.elsewhere
                hours[hour] += 1
                strangers += 1
    assert guesses / CODES < 1.5e-4


QUIET = CodesMade(
    is_known=True,
    is_trusted=False,
    by_strangers=0,
    by_requester=0,
    within_hour=0,
    by_requester_within_hour=0,
    to_strangers=0,
)


@pytest.mark.parametrize(
    ("change", "tries"),
    [
        ({}, (5, 3)),
        ({"by_strangers": 10, "within_hour": 10}, (2, 0)),
        ({"by_strangers": 10, "by_requester": 5, "by_requester_within_hour": 5}, (2, 0)),
        ({"by_strangers": 10, "within_hour": 9, "by_requester_within_hour": 1}, None),
        ({"by_strangers": 500, "within_hour": 500, "is_trusted": True}, (5, 3)),
        ({"by_strangers": 500, "within_hour": 500}, None),
        ({"by_strangers": 500, "within_hour": 0}, (2, 0)),
        ({"is_known": False, "by_strangers": 10, "within_hour": 10}, (2, 0)),
        ({"is_known": False, "by_strangers": 10, "by_requester": 1}, None),
        ({"is_known": False, "by_strangers": 500}, None),
        ({"is_known": False, "to_strangers": 10}, None),
        ({"to_strangers": 10}, (5, 3)),
    ],
)
def test_who_gets_one_more_code(change: dict[str, int], tries: tuple[int, int] | None) -> None:
    made = CodesMade(**{**asdict(QUIET), **change})
    given = tries_of_next(made, to_strangers=10)
    assert (None if given is None else (given.at_home, given.elsewhere)) == tries


@pytest.mark.parametrize(("number", "text"), [(0, "000000"), (42, "000042"), (999_999, "999999")])
def test_a_code_has_six_digits(number: int, text: str) -> None:
    assert code_text(number) == text


@pytest.mark.parametrize("number", [-1, CODES])
def test_no_other_number_is_one(number: int) -> None:
    with pytest.raises(ValueError, match="a million"):
        code_text(number)


@pytest.mark.parametrize(
    ("presented", "right"),
    [
        ("123456", True),
        ("123 456", True),
        (" 123-456\n", True),
        ("123457", False),
        ("12345", False),
        ("0123456", False),
        ("", False),
        ("１２３４５６", False),
        ("123456\0", False),
    ],
)
def test_what_is_the_code(presented: str, right: bool) -> None:
    digest = code_digest(SEALER, "id", "123456")

    assert is_code(SEALER, "id", presented, digest) is right


def test_the_digest_is_of_this_code_and_by_our_key() -> None:
    digest = code_digest(SEALER, "id", "123456")

    assert not is_code(SEALER, "another id", "123456", digest)
    assert not is_code(FernetSealer(Fernet.generate_key().decode()), "id", "123456", digest)


def test_a_code_outlives_a_rotation_of_the_key() -> None:
    digest = code_digest(SEALER, "id", "123456")
    rotated = FernetSealer(f"{Fernet.generate_key().decode()},{KEY}")

    assert is_code(rotated, "id", "123456", digest)


def test_in_a_crowd_a_known_address_gets_one_code_an_hour() -> None:
    """Requests from thousands of networks do not lock an owner out, and create nothing else."""
    made = CodesMade(
        is_known=True,
        is_trusted=False,
        by_strangers=CODES_AT_MOST,
        by_requester=0,
        within_hour=0,
        by_requester_within_hour=0,
        to_strangers=0,
    )
    assert tries_of_next(made, to_strangers=10, crowded=True) == Tries(TRIES_SPARE, 0)
    again = replace(made, within_hour=1)
    assert tries_of_next(again, to_strangers=10, crowded=True) is None
    stranger = replace(made, is_known=False)
    assert tries_of_next(stranger, to_strangers=10, crowded=True) is None
    at_home = replace(again, is_trusted=True)
    assert tries_of_next(at_home, to_strangers=10, crowded=True) == Tries(TRIES, TRIES_ELSEWHERE)
