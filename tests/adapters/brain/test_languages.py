"""The language of a message, from the detection library and prior probabilities."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.brain.languages import READ_CHARACTERS, read_language
from domain.agent.languages import OURS
from domain.core.effort import budget


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Où est ma commande ?"),
        ("fr", "JE VEUX ÊTRE REMBOURSÉ"),
        ("en", "Where is my order?"),
        ("en", "wheres my stuff"),
        ("de", "Wo ist meine Bestellung?"),
        ("de", "Ich möchte das Kleid zurückgeben"),
        ("es", "Quiero devolver el vestido"),
        ("it", "Vorrei restituire il vestito"),
        ("nl", "Ik wil de jurk terugsturen"),
        ("pt", "Onde está a minha encomenda?"),
    ],
)
@pytest.mark.parametrize("likely", [(), ("fr",), ("fr", "en")])
def test_a_sentence_has_its_language(language: str, text: str, likely: tuple[str, ...]) -> None:
    assert read_language(text, likely).known == language


def test_the_thread_decides_where_the_words_do_not() -> None:
    """The same word exists in both languages."""
    assert read_language("message", ("fr",)).ours == "fr"
    assert read_language("message", ("en",)).ours == "en"


def test_links_addresses_and_numbers_have_no_language() -> None:
    text = "Wo ist meine Bestellung?"
    beside = "https://shop.example/where/is/my/order hello.there@customer.example 10423"
    assert read_language(f"{text} {beside}") == read_language(text)


@given(st.text(max_size=200))
def test_any_text_has_probabilities(text: str) -> None:
    read = read_language(text)
    assert sum(read.probabilities.values()) == pytest.approx(1)
    assert read.ours in OURS
    assert 0.5 <= read.ours_probability <= 1


def test_a_text_without_words_is_in_no_known_foreign_language() -> None:
    for text in ("", "?!", "1042", "😀", "ok", "x"):
        assert read_language(text).known in (None, *OURS)


def test_only_the_beginning_is_read() -> None:
    text = "Where is my order? " * READ_CHARACTERS
    with budget() as effort:
        assert read_language(text) == read_language(text[:READ_CHARACTERS])
    assert effort.spent == 2 * READ_CHARACTERS
