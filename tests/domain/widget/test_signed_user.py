"""The address that a merchant's signature covers."""

import pytest

from domain.identity.address import sign_in_address
from domain.widget.signed_user import is_itself, is_signed, secret_of, signature_of

SECRET, OTHER = secret_of(b"a" * 32), secret_of(b"b" * 32)
JO = "Jo@Shop.example"


@pytest.mark.parametrize(
    "email", [JO, f" {JO} ", "jo@b\u00fccher.example", "jo@stra\u00dfe.example"]
)
def test_an_address_that_is_itself(email: str) -> None:
    assert is_itself(email)


@pytest.mark.parametrize(
    "email",
    [
        "jo@\uff53hop.example",
        "jo@\u017fhop.example",
        "jo@sh\u00adop.example",
        "jo@shop\u3002example",
        "jo@bu\u0308cher.example",
    ],
)
def test_an_address_that_only_leads_to_another_one(email: str) -> None:
    """A shop may have both as users."""
    assert sign_in_address(email) in (JO.lower(), "jo@xn--bcher-kva.example")
    assert not is_itself(email)


def test_the_spellings_that_a_signature_is_for() -> None:
    for signed in (JO, JO.lower()):
        assert is_signed([OTHER, SECRET], JO, signature_of(SECRET, signed))
    assert not is_signed([OTHER], JO, signature_of(SECRET, JO))
    assert not is_signed([SECRET], "jo@shop.examples", signature_of(SECRET, JO.lower()))


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
