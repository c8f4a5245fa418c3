"""One spelling for one customer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.customer_email import customer_key


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("Anna@Example.COM", "anna@example.com"),
        (" anna@example.com ", "anna@example.com"),
        ("ａｎｎａ@example.com", "anna@example.com"),  # full-width letters
        ("STRASSE@example.com", "strasse@example.com"),
        ("straße@example.com", "strasse@example.com"),
        ("anna+shop@example.com", "anna+shop@example.com"),
        ("", None),
        ("  ", None),
        (None, None),
    ],
)
def test_spellings(address: str | None, key: str | None) -> None:
    assert customer_key(address) == key


@given(st.text())
def test_a_key_is_its_own_key(address: str) -> None:
    once = customer_key(address)

    assert customer_key(once) == once
