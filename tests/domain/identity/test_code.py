"""The code: who holds neither it nor the key learns nothing, and guessing is hopeless."""

import pytest
from cryptography.fernet import Fernet

from adapters.seal import FernetSealer
from domain.identity.code import CODES, CODES_A_DAY, TRIES, code_digest, code_text, is_code

KEY = Fernet.generate_key().decode()
SEALER = FernetSealer(KEY)


def test_guessing_all_day_finds_an_address_once_in_ten_thousand_at_most() -> None:
    assert CODES_A_DAY * TRIES / CODES < 1e-4


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
