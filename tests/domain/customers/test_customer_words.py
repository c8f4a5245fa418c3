"""The search words for customers."""

import pytest

from domain.customers.customer_words import (
    MAX_SEARCHED,
    MAX_WORD_CHARS,
    MAX_WORDS,
    customer_words,
    searched_words,
)


def test_a_customer_is_found_by_name_and_address() -> None:
    words = customer_words("Hélène O'Brien-Müller", "h.brien@shop.example")

    assert {*words} == {
        "h.brien@shop.example",
        *("helene", "o", "brien", "muller", "h", "shop", "example"),
    }


def test_a_customer_without_a_name_is_found_by_the_address() -> None:
    assert customer_words(None, "ann@x.example") == ("ann@x.example", "ann", "x", "example")


def test_words_are_limited() -> None:
    words = customer_words(" ".join(f"n{place}" for place in range(99)), "a" * 300)

    assert len(words) == MAX_WORDS
    assert max(map(len, words)) == MAX_WORD_CHARS


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("Sophie", ("sophie",)),
        (" SOPHIE  martín ", ("sophie", "martin")),
        ("Sophie@X.example", ("sophie@x.example",)),
        ("sophie.martin", ("sophie", "martin")),
        ("Œuvre Lætitia Groß", ("oeuvre", "laetitia", "gross")),
        ("!!! -", ()),
    ],
)
def test_what_a_member_types(typed: str, words: tuple[str, ...]) -> None:
    assert searched_words(typed) == words


def test_a_search_has_few_words() -> None:
    assert len(searched_words("a b c d e f g h")) == MAX_SEARCHED
