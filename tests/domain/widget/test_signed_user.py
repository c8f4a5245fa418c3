"""Which signatures name a user of the merchant's."""

import pytest

from domain.widget.signed_user import is_signed, secret_of, signature_of

OLD, NEW, FOREIGN = (secret_of(bytes([number]) * 32) for number in range(3))
EMAIL = "Camille@Free.example"


@pytest.mark.parametrize("secret", [OLD, NEW])
def test_each_valid_secret_signs(secret: str) -> None:
    """The address as the merchant writes it, or in lower case; the digits in either case."""
    for signed in (EMAIL, EMAIL.lower()):
        signature = signature_of(secret, signed)
        assert is_signed([NEW, OLD], EMAIL, signature)
        assert is_signed([NEW, OLD], EMAIL, f" {signature.upper()}\n")


@pytest.mark.parametrize(
    "presented",
    [
        signature_of(FOREIGN, EMAIL), signature_of(NEW, "lea@free.example"), signature_of(NEW, ""),
        signature_of("", EMAIL), signature_of(NEW, EMAIL)[:-1], signature_of(NEW, EMAIL) + "0",
        "", "é" * 64, NEW,
    ],
)  # fmt: skip
def test_nothing_else_does(presented: str) -> None:
    assert not is_signed([NEW, OLD], EMAIL, presented)
    assert not is_signed([], EMAIL, signature_of(NEW, EMAIL))
