"""One spelling per customer."""

from time import thread_time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.intake.customer_email import (
    customer_key,
    is_same_customer,
    mentions,
    spells_its_key,
)

# Python needs 10 s to normalize this text, because it sorts the marks in quadratic time.
MARKS: Final = "\u0315\u0327" * 50_000
# An address that ends in `MARKS`, and an address that is too long only in its canonical form.
LONG_ONES: Final = (f"a{MARKS}@x.example", f"{'ﷺ' * 100}@x.example")


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


@pytest.mark.parametrize("address", LONG_ONES)
def test_an_address_that_is_too_long_has_no_key_and_costs_nothing(address: str) -> None:
    started = thread_time()

    assert customer_key(address) is None
    assert not spells_its_key(address)
    assert not is_same_customer(address, address)
    assert not is_same_customer(address, None)
    assert thread_time() - started < 1


def test_the_longest_address_has_a_key() -> None:
    longest = f"{'é' * 310}@x.example"

    assert len(longest) == 320
    assert customer_key(f" {longest} ") == longest
    assert customer_key(f"e{longest}") is None


def test_a_text_of_marks_is_searched_in_linear_time() -> None:
    started = thread_time()

    assert mentions(f"{MARKS} ANN@x.example {MARKS}", "ann@x.example")
    assert thread_time() - started < 2
