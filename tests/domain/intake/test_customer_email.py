"""One spelling for one customer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.intake.customer_email import customer_key, mentions


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


@pytest.mark.parametrize(
    "text",
    [
        "ann@x.example", "Ecrivez à ANN@X.example.", "<ann@x.example>", "mailto:ann@x.example?s=1",
        "-ann@x.example", "_ann@x.example_", "... ann@x.example", "mon mail:ann@x.example.Merci",
        "私のメールはann@x.exampleです", "'ann@x.example',", "ann@x.example-",
        "a\nann@x.example\nb",
    ],
)  # fmt: skip
def test_an_address_in_a_text(text: str) -> None:
    assert mentions(text, "ann@x.example")


@pytest.mark.parametrize(
    "text",
    [
        "", "joann@x.example", "marie.ann@x.example", "marie-ann@x.example", "m+ann@x.example",
        "m_ann@x.example", "ann@x.examples", "ann@x.example-shop.example", "annx.example",
    ],
)  # fmt: skip
def test_a_part_of_another_address(text: str) -> None:
    assert not mentions(text, "ann@x.example")
