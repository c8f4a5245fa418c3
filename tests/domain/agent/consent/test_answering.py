import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from domain.agent.consent.answering import read_confirmation
from domain.agent.consent.confirmation import Assent, Confirmation
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.money import Money
from domain.core.strict_yaml import read_yaml
from domain.intake.order_number import find_order_numbers
from tests.support.core.each import each

_FILE: Final = Path(__file__).with_name("answers.yaml")
_OTHERS: Final = _FILE.with_name("answers_other.yaml")
_NUMBER: Final = re.compile(r"\b1\d{3}\b")


class Answers(BaseModel):
    yes: tuple[str, ...]
    no: tuple[str, ...]
    corrections: dict[str, tuple[str, ...]]
    other: tuple[str, ...]


class Others(BaseModel):
    """Negative examples. `added`: sentences that are not part of a yes. `stories`: not part of a
    plain yes."""

    other: tuple[str, ...]
    added: tuple[str, ...]
    stories: tuple[str, ...]


class AnswersByAction(BaseModel):
    yes: dict[ActionKind, tuple[str, ...]]
    misleading: dict[ActionKind, tuple[str, ...]]


@cache
def by_action() -> AnswersByAction:
    file = _FILE.with_name("answers_by_action.yaml")
    return AnswersByAction.model_validate(read_yaml(file.read_text()))


def rows(listed: dict[ActionKind, tuple[str, ...]]) -> list[tuple[ActionKind, str]]:
    return [(kind, text) for kind, texts in listed.items() for text in texts]


def answered_in_full(kind: ActionKind, text: str) -> Assent:
    asked = question("61207", kind, Money(minor=4900, currency="EUR"))
    return read_confirmation(text, find_order_numbers(text, asked=True), asked).assent


@cache
def others() -> Others:
    return Others.model_validate(read_yaml(_OTHERS.read_text()))


@cache
def answers() -> Answers:
    return Answers.model_validate(read_yaml(_FILE.read_text()))


def question(
    number: str = "1043", kind: ActionKind = ActionKind.REFUND, amount: Money | None = None
) -> PlannedAction:
    return PlannedAction(kind=kind, order_number=number, amount=amount)


def answered(text: str, kind: ActionKind = ActionKind.REFUND) -> Confirmation:
    numbers = tuple(dict.fromkeys(_NUMBER.findall(text)))
    return read_confirmation(text, numbers, question(kind=kind))


@each(answers().yes)
def test_a_plain_yes(text: str) -> None:
    assert answered(text) == Confirmation(assent=Assent.YES)


@each(answers().no)
def test_a_plain_no(text: str) -> None:
    assert answered(text) == Confirmation(assent=Assent.NO)


@each(answers().corrections["1044"])
def test_another_order_is_meant_and_named(text: str) -> None:
    assert answered(text) == Confirmation(assent=Assent.CORRECTION, number="1044")


@each(answers().corrections["none"])
def test_another_order_is_meant(text: str) -> None:
    assert answered(text) == Confirmation(assent=Assent.CORRECTION)


@each(answers().other)
def test_anything_else_drops_the_question(text: str) -> None:
    assert answered(text) == Confirmation(assent=Assent.OTHER)


@each(rows(by_action().yes))
def test_a_yes_with_the_action_a_question_about_time_or_an_excuse(
    kind: ActionKind, text: str
) -> None:
    assert answered_in_full(kind, text) is Assent.YES


@each(rows(by_action().misleading))
def test_no_yes_to_the_action_that_the_question_names(kind: ActionKind, text: str) -> None:
    assert answered_in_full(kind, text) is not Assent.YES


def test_a_quoted_question_below_the_answer_is_left_out() -> None:
    quoted = "\n\nOn 3 Jun 2026, at 08:12, Support wrote:\n> Shall we refund 1043? Yes or no."

    assert answered("Yes!! thank you\nClaire" + quoted).assent is Assent.YES
    assert answered("I cannot open this" + quoted).assent is Assent.OTHER
    assert answered("Yes" + quoted + "\nwait, no").assent is Assent.OTHER
    assert answered("> yes").assent is Assent.OTHER


def test_a_yes_to_another_quoted_question_is_none() -> None:
    """A shop asks several questions: an offer of a sample is not a question about a refund."""
    for quoted in ("> Would you like a free sample?", "> Is 12 Rue Haute still right?\n> Thanks"):
        assert answered("Yes, with pleasure\n\n" + quoted).assent is not Assent.YES, quoted


STORIES = (
    "Yes please refund me, my daughter laughed at the shoes. God bless you",
    "Dear young man, yes please do refund it. My grandson showed me how to use this machine.",
    "Oui, remboursez-moi s'il vous plaît, la robe est trop petite.",
    "Yes, please go ahead and refund me. It does not fit.",
)
TURNED = (
    "Yes please refund me, my sister keeps the shoes",
    "Yes please refund my sister, my daughter laughed",
    "Yes. My grandson showed me how to use this machine.",
    "The refund, yes, I saw it",
    "Oui, remboursez-moi, quand la robe sera partie.",
    "Yes, please refund me. It does fit if I breathe in.",
)


@each(STORIES)
def test_a_yes_that_names_the_action_may_tell_more(text: str) -> None:
    assert answered(text).assent is Assent.YES


@each(TURNED)
def test_what_is_told_beside_a_yes_may_turn_it(text: str) -> None:
    assert answered(text).assent is not Assent.YES


def test_only_the_sum_of_the_question_belongs_to_a_yes() -> None:
    refund = ActionKind.REFUND

    assert answered_in_full(refund, "yes, 49,00 EUR") is Assent.YES
    assert answered_in_full(refund, "oui, 49 €") is Assent.YES
    for text in ("yes, 94,00 EUR", "yes, 49.01", "yes, 49 USD", "oui 490 €", "yes 4900"):
        assert answered_in_full(refund, text) is not Assent.YES, text


@each(others().other)
def test_what_looks_like_a_yes_is_none(text: str) -> None:
    assert answered(text).assent is not Assent.YES


BETWEEN = (" ", ". ", ", ", "\n", "\n\n", ". Regards, ", "\nBonne journée, ")


@each([(added, between) for added in others().added for between in BETWEEN])
def test_a_yes_with_any_other_sentence_is_none(added: str, between: str) -> None:
    for text in answers().yes[::3]:
        assert answered(text.strip() + between + added).assent is not Assent.YES, text
        assert answered(added + between + text).assent is not Assent.YES, text


@each([(added, between) for added in others().stories for between in BETWEEN])
def test_a_bare_yes_with_a_story_is_none(added: str, between: str) -> None:
    bare = [text for text in answers().yes if not re.search("(?i)refund|rembours", text)]
    for text in bare[::3]:
        assert answered(text.strip() + between + added).assent is not Assent.YES, text
        assert answered(added + between + text).assent is not Assent.YES, text


def test_what_was_not_read_may_say_no() -> None:
    assert answered("yes" + " " * 20_000 + "no").assent is Assent.OTHER
    assert answered("yes " * 200 + "no").assent is Assent.OTHER


def test_the_table_is_large_enough() -> None:
    table = answers()

    assert len(table.yes) >= 60
    assert len(table.no) >= 40
    assert sum(map(len, table.corrections.values())) >= 30
    assert len(table.other) >= 80
    assert len(others().other) >= 120
    assert len(others().added) >= 60


def test_a_yes_that_names_another_action_is_none() -> None:
    assert answered("yes, cancel it", ActionKind.CANCEL_ORDER).assent is Assent.YES
    assert answered("yes, cancel it", ActionKind.REFUND).assent is Assent.OTHER


def test_a_number_is_the_same_however_it_is_written() -> None:
    assert read_confirmation("yes, fr-1042", ("fr-1042",), question("FR-1042")).assent is Assent.YES
    assert read_confirmation("yes #1043", ("1043",), question("#1043")).assent is Assent.YES


@given(st.text(max_size=300))
def test_never_raises(text: str) -> None:
    answered(text)


@given(st.sampled_from([*answers().yes]), st.sampled_from(["?", " if possible?", " mais pas tout"]))
def test_a_yes_that_asks_or_limits_is_none(text: str, behind: str) -> None:
    assert answered(text.strip() + behind).assent is not Assent.YES


@pytest.mark.parametrize(
    "text", ["refund me please", "Rembourse moi ma cmd 7104", "Please refund order 7104."]
)
def test_the_request_again_is_no_yes(text: str) -> None:
    """A repeated message must not confirm itself."""
    said = read_confirmation(text, ("7104",), question("7104"))

    assert said.assent is Assent.OTHER
