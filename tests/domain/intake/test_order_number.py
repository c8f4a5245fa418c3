"""The orders in a customer's message: `order_numbers.yaml`, and the cost limit."""

from pathlib import Path
from time import thread_time
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.intake.order_number import MAX_NUMBERS, find_order_numbers, with_asked_number
from domain.intake.order_words import around
from tests.support.core.each import each
from tests.support.intake.normalized import unified

FORMS: Final[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("order_numbers.yaml").read_text(encoding="utf-8")
)


def test_there_are_enough_forms() -> None:
    assert len(FORMS["named"]) + len(FORMS["answered"]) >= 150
    assert len(FORMS["nothing"]) + len(FORMS["no_answer"]) >= 60


@each(FORMS["named"])
def test_orders_that_are_named(text: str, numbers: str) -> None:
    assert find_order_numbers(text) == tuple(numbers.split())


@each(FORMS["answered"])
def test_orders_that_were_asked_for(text: str, numbers: str) -> None:
    assert find_order_numbers(text, asked=True) == tuple(numbers.split())
    event = with_asked_number(unified("api_direct", message=text))
    assert event.order_numbers == tuple(numbers.split())
    assert event.order_number == event.fields["order_number"] == numbers.split(maxsplit=1)[0]


@each(FORMS["nothing"])
def test_numbers_of_something_else(text: str) -> None:
    assert find_order_numbers(text) == ()


@each(FORMS["no_answer"])
def test_answers_without_a_number(text: str) -> None:
    assert find_order_numbers(text, asked=True) == ()
    event = unified("api_direct", message=text)
    assert with_asked_number(event) == event


def test_a_bare_number_that_nobody_asked_for_is_none() -> None:
    assert find_order_numbers("1042") == ()


@pytest.mark.parametrize(
    ("payload", "text", "numbers"),
    [
        ({"order_id": 77}, "#1234", ("77", "1234")),
        ({"order": {"name": "#88"}}, "#1234", ("88", "1234")),
        ({"order_number": "fr-1042"}, "commande FR-1042", ("fr-1042",)),
        ({"order_number": "#1042"}, "commande 1042 et 1043", ("1042", "1043")),
        ({"subject": "Commande 1042"}, "et la 1043 ?", ("1042", "1043")),
        ({"subject": "Re: order 1042"}, "order 1042", ("1042",)),
        ({}, "Bonjour", ()),
    ],
)
def test_numbers_of_an_event(
    payload: dict[str, JsonValue], text: str, numbers: tuple[str, ...]
) -> None:
    event = unified("api_direct", payload, message=text)
    assert event.order_numbers == numbers
    assert event.order_number == next(iter(numbers), None)


def test_at_most_ten() -> None:
    text = "orders " + ", ".join(str(number) for number in range(1_000, 1_100))
    assert find_order_numbers(text) == tuple(
        str(number) for number in range(1_000, 1_000 + MAX_NUMBERS)
    )


PIECES = [
    "order ",
    "n° ",
    "1042 ",
    "a-",
    "rue ",
    "#",
    "+1 (2) ",
    "fr76 1234 ",
    "no : ",
    " ",
    "\n",
    "1 ",
]


@pytest.mark.parametrize(
    "piece", [*PIECES, "commande est la ", "order 1042, ", "is not ", "ﷺ", "@"]
)
def test_hostile_text_ends(piece: str) -> None:
    for asked in (False, True):
        find_order_numbers(piece * 20_000, asked=asked)


@pytest.mark.parametrize("piece", [" 111", "111.", "1 111 "])
def test_groups_of_digits_are_read_in_linear_time(piece: str) -> None:
    """8,000 characters took 0.3 s, and four times as many took sixteen times as long."""
    text = "11" + (piece * 16_000)[:32_000]
    patterns = around()
    started = thread_time()

    for pattern in (patterns.never, patterns.never_with_at):
        assert all(match[0] for match in pattern.finditer(text))
    find_order_numbers(text, asked=True)

    assert thread_time() - started < 1


@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=12).map("".join), st.booleans()
)
def test_any_text_is_searched(text: str, asked: bool) -> None:
    numbers = find_order_numbers(text, asked=asked)
    assert numbers == tuple(number.upper() for number in dict.fromkeys(numbers))
    assert set(find_order_numbers(text)) <= set(numbers) or len(numbers) == MAX_NUMBERS
