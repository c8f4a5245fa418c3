import re
from functools import cache
from pathlib import Path
from time import process_time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from domain.agent.plan import ActionKind
from domain.agent.speech.harmless import caution_words, tokens_of
from domain.agent.speech.unqualified import is_unqualified
from domain.core.strict_yaml import read_yaml
from tests.support.core.each import each

_FILE: Final = Path(__file__).with_name("caution.yaml")
_ASKING: Final = re.compile(
    r"refund\w*|cancel\w*|annul\w*|rem?bours\w*|money back|rendez|remboursé", re.IGNORECASE
)
_HEADS: Final = ("Please refund order 1042.", "Remboursez la commande 2001.")


class CautionTable(BaseModel):
    plain: tuple[str, ...]
    qualified: tuple[str, ...]


@cache
def table() -> CautionTable:
    return CautionTable.model_validate(read_yaml(_FILE.read_text()))


def unqualified(text: str) -> bool:
    """Return whether any word that can be a request occurs without a qualifier."""
    return any(is_unqualified(text, quote) for quote in _ASKING.findall(text))


@each(table().plain)
def test_a_request_of_known_words_is_unqualified(text: str) -> None:
    assert unqualified(text)


@each(table().qualified)
def test_any_other_word_makes_it_one_to_ask_about(text: str) -> None:
    assert not unqualified(text)


def test_the_tables_hold_what_was_agreed() -> None:
    assert len(table().plain) >= 80
    assert len(table().qualified) >= 150


@given(st.sampled_from(table().plain), st.text(alphabet="bcdfghjkqwxz éè", min_size=1))
def test_a_sentence_behind_that_is_no_closing_makes_it_one_to_ask_about(
    text: str, said: str
) -> None:
    words = tokens_of(said)
    if words and caution_words().behind.cover(words) < len(words):
        assert not unqualified(f"{text}. {said}.")
        assert not unqualified(f"{text}\n\n{said}")


@given(st.sampled_from(table().plain), st.sampled_from(table().qualified))
def test_another_request_behind_makes_it_one_to_ask_about(text: str, other: str) -> None:
    assert not is_unqualified(f"{text}\n{other}", _ASKING.findall(text)[0])


@given(st.sampled_from(_HEADS), st.text(alphabet="bcdfghjkqwxz", min_size=3, max_size=12))
def test_an_unknown_word_in_the_sentence_makes_it_one_to_ask_about(text: str, word: str) -> None:
    known = caution_words()
    if not known.known.within((word,)) and word not in known.actions:
        assert not unqualified(text.replace(" order", f" {word} order").replace("la ", f"{word} "))


@given(st.text(max_size=200), st.text(max_size=20))
def test_no_text_raises(text: str, quote: str) -> None:
    assert is_unqualified(text, quote) in {True, False}
    assert not is_unqualified(text, text + "x")


@pytest.mark.parametrize("quote", ["", " ", "refund order 1043"])
def test_words_that_do_not_stand_in_the_text_ask_nothing(quote: str) -> None:
    assert not is_unqualified("Please refund order 1042.", quote)


def test_a_text_too_long_is_one_to_ask_about() -> None:
    text = "Please refund order 1042."
    assert is_unqualified("word " * 1_500 + ". " + text, "refund")
    assert not is_unqualified("word " * 1_600 + ". " + text, "refund")


@pytest.mark.parametrize(
    "filling", [".", "a.", "\n", " ", "-", "1-", "a1", "thanks ", ". ", "!x", ",", "é", "Ann\n"]
)
def test_it_is_linear_in_the_text(filling: str) -> None:
    long = filling * (19_900 // len(filling))
    began = process_time()
    for text in (f"Please refund order 1042. {long}", f"{long} Please refund order 1042."):
        is_unqualified(text, "refund")
    assert process_time() - began < 2


def test_every_action_is_known() -> None:
    kinds = {one.kind for one in caution_words().actions.values()}
    assert kinds == {ActionKind.REFUND, ActionKind.CANCEL_ORDER}
