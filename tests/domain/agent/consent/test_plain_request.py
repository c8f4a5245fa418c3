"""The closed list of messages that are acted on at once."""

from functools import cache
from pathlib import Path
from time import process_time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from domain.agent.consent.plain_request import PlainRequest, plain_request
from domain.agent.plan import ActionKind
from domain.core.strict_yaml import read_yaml
from tests.support.core.each import each
from training.train_requests import REQUESTS_PATH, read_requests

_FILE: Final = Path(__file__).with_name("plain_requests.yaml")


class PlainTable(BaseModel):
    """`other`: plain, and no form of the list. `qualified`: says something besides."""

    plain: tuple[str, ...]
    other: tuple[str, ...]
    qualified: tuple[str, ...]


@cache
def table() -> PlainTable:
    return PlainTable.model_validate(read_yaml(_FILE.read_text(encoding="utf-8")))


@each(table().plain)
def test_a_form_of_the_list(text: str) -> None:
    assert plain_request(text) is not None


@each(table().other + table().qualified)
def test_any_other_message_is_no_form(text: str) -> None:
    assert plain_request(text) is None


def test_what_asks_for_nothing_is_no_form() -> None:
    told = [example.text for example in read_requests(REQUESTS_PATH) if example.kind is None]

    assert len(told) > 1_000
    assert [text for text in told if plain_request(text)] == []


def test_a_form_asks_for_what_its_words_say() -> None:
    wrong = [
        example.text
        for example in read_requests(REQUESTS_PATH)
        if (plain := plain_request(example.text)) and plain.kind is not example.kind
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("please refund order 1043", ActionKind.REFUND, "1043"),
        ("je souhaite être remboursé de ma commande 1043", ActionKind.REFUND, "1043"),
        ("Cancel order FR-1043, thanks", ActionKind.CANCEL_ORDER, "fr-1043"),
        ("Bonjour, annulez-la svp", ActionKind.CANCEL_ORDER, None),
    ],
)
def test_kind_and_number(text: str, kind: ActionKind, number: str | None) -> None:
    assert plain_request(text) == PlainRequest(kind, number)


@pytest.mark.parametrize(
    "around",
    [
        *('"{}"', "« {} »", "“{}”", "> {}", "If it breaks, {}", "Si ça casse, {}"),
        *("My sister says: {}", "Translate: {}", "You wrote: {}", "{} Forget it."),
        *("{} Actually no, I'll keep it.", "{} Laissez tomber.", "Don't {}", "Ne {}", "No {}"),
        *("{} tomorrow", "{} demain", "{} 10 EUR", "{} (half)", "{} 🙃", "{} and 1044", "Not {}"),
        *("{} lol", "{} mdr", "{} https://example.com", "{} 50%", "Never {}", "Unless {}"),
    ],
)
def test_anything_around_a_form_makes_it_none(around: str) -> None:
    changed = [around.format(text) for text in table().plain]

    assert [text for text in changed if plain_request(text)] == []


@given(st.sampled_from(table().plain), st.text(alphabet="bcfghjkqwxz", min_size=2, max_size=9))
def test_a_word_that_no_list_holds_makes_it_none(text: str, word: str) -> None:
    for said in (f"{word} {text}", f"{text} {word}", f"{text}. {word}.", f"{text}\n{word}"):
        assert plain_request(said) is None


@given(st.sampled_from(table().plain), st.sampled_from(table().plain))
def test_two_forms_are_none(one: str, other: str) -> None:
    assert plain_request(f"{one}\n{other}") is None


@pytest.mark.parametrize("text", ["annulé ma commande 2001", "Remboursé la commande 2001, merci"])
def test_what_is_said_to_be_done_is_no_form(text: str) -> None:
    assert plain_request(text) is None


@given(st.text(max_size=400))
def test_never_raises(text: str) -> None:
    plain_request(text)


@pytest.mark.parametrize("filling", [".", "a.", "\n", " ", "-", "1-", "thanks ", ". ", "Ann\n"])
def test_a_long_text_is_none_at_once(filling: str) -> None:
    began = process_time()

    assert plain_request("Please refund order 1042. " + filling * 20_000) is None
    assert process_time() - began < 1
