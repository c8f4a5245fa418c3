"""PKCE: a challenge matches only its own verifier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.identity.pkce import challenge_of, fits, is_challenge, is_verifier

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
verifiers = st.text(LETTERS, min_size=43, max_size=128)


def test_the_example_of_rfc_7636() -> None:
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert challenge_of(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@given(verifiers, verifiers)
def test_only_the_verifier_fits(one: str, other: str) -> None:
    assert is_challenge(challenge_of(one))
    assert fits(one, challenge_of(one))
    assert fits(one, challenge_of(other)) == (one == other)


@given(st.text(LETTERS, max_size=140))
def test_no_text_fits_itself(text: str) -> None:
    """`plain` is never accepted: an intercepted challenge must be useless."""
    assert not fits(text, text)


@pytest.mark.parametrize(
    "text", ["", "a" * 42, "a" * 129, "a" * 42 + "é", "a" * 42 + "\n", " " * 50]
)
def test_no_verifier(text: str) -> None:
    assert not is_verifier(text)


@pytest.mark.parametrize("text", ["", "a" * 42, "a" * 44, "a" * 42 + "=", "a" * 42 + "+"])
def test_no_challenge(text: str) -> None:
    assert not is_challenge(text)
