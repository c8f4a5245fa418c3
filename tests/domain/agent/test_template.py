"""Filling placeholders: none is silently removed, and customer text is never expanded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.template import VALUE_LIMIT, clean_value, fill, names, unreadable, unreadable_line


def test_values_are_put_in() -> None:
    filled = fill("Bonjour {{ name }}, commande {{order}}.", {"name": "Zoé", "order": "12"})

    assert filled.text == "Bonjour Zoé, commande 12."
    assert filled.complete
    assert filled.used == 2


def test_a_missing_value_is_reported_once_and_in_order() -> None:
    filled = fill("{{ b }} {{ a }} {{ b }}", {})

    assert filled.missing == ("b", "a")
    assert not filled.complete


@pytest.mark.parametrize("value", ["", "   ", "\n\t", "\u200b"])
def test_a_blank_value_is_missing(value: str) -> None:
    assert fill("{{ a }}", {"a": value}).missing == ("a",)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Hi {{ name | there }}!", "Hi there!"),
        ('Hi {{ name | "dear customer" }}!', "Hi dear customer!"),
        ("Hi{{ name | }}!", "Hi!"),
        ("Hi {{ name|a | b }}!", "Hi a | b!"),
    ],
)
def test_a_default_stands_in(body: str, text: str) -> None:
    filled = fill(body, {})

    assert filled.text == text
    assert filled.complete
    assert filled.used == 0


def test_a_value_comes_before_the_default() -> None:
    assert fill("{{ name | you }}", {"name": "Ana"}).text == "Ana"


def test_names_are_exact() -> None:
    assert fill("{{ Name }}", {"name": "Ana"}).missing == ("Name",)


def test_a_value_is_not_expanded_again() -> None:
    filled = fill("{{ a }}", {"a": "{{ secret }}", "secret": "s3"})

    assert filled.text == "{{ secret }}"
    assert filled.complete


@pytest.mark.parametrize("body", ["{{ }}", "{{ a b }}", "{{ a", "{{ 1a }}", "{{ a { }}"])
def test_an_unreadable_placeholder_is_reported(body: str) -> None:
    assert not fill(body, {"a": "x", "b": "y"}).complete


def test_a_body_without_placeholders_is_unchanged() -> None:
    body = "One { brace } and\n\ntwo lines. 100 %"

    assert fill(body, {"a": "x"}).text == body


def test_a_value_is_one_capped_line() -> None:
    assert clean_value("  a\r\nb\u2028c\td\x00e\u202ef ") == "a b c def"
    assert len(clean_value("x" * 5_000)) == VALUE_LIMIT


@given(st.text(max_size=300), st.dictionaries(st.sampled_from("abc"), st.text(max_size=50)))
def test_filling_never_raises(body: str, values: dict[str, str]) -> None:
    filled = fill(body, values)

    if "{{" not in body:
        assert filled.text == body
        assert filled.complete


@given(st.text(max_size=1_000))
def test_any_value_stays_on_its_line(value: str) -> None:
    filled = fill("before {{ v | - }} after", {"v": value})

    assert len(filled.text.splitlines()) == 1
    assert filled.text.startswith("before ")
    assert filled.text.endswith(" after")
    assert len(filled.text) <= VALUE_LIMIT + len("before  after")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("A refund of {{ refnd_amount for order", "{{ refnd_amount for order"),
        ("Hi {{ name }}, {{ a b }}!", "{{ a b }}"),
        ("Hi {{ }}!", "{{ }}"),
        ("Hi {{ name | a }}, {{ b", "{{ b"),
        ("Hi {{ name {{ other }}", "{{ name"),
        ("{% if paid %}\nThanks", "{% if paid %} Thanks"),
        ("Hi name }}!", "}}!"),
        ("{{ a b " + "c" * 100 + " }}", "{{ a b " + "c" * 33),
        ("Hi {{ name }}, {{ d | x }} {of} 5 % and } { too", None),
    ],
)
def test_what_cannot_be_read_is_told(body: str, place: str | None) -> None:
    assert unreadable(body) == place


def test_the_line_of_what_cannot_be_read_is_told() -> None:
    assert unreadable_line("Hi {{ name |\na }}\nyou }}") == 3
    assert unreadable_line("Hi {{ a b }}") == 1
    assert unreadable_line("Hi {{ name }}") is None


@given(st.text(alphabet="{}% |ab\n\0", max_size=30))
def test_what_can_be_read_can_be_filled(body: str) -> None:
    values = dict.fromkeys(names(body), "v")

    assert unreadable(body) is not None or fill(body, values).complete
