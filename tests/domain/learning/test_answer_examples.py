"""Examples of answers: the nearest ones, without personal data."""

import pytest

from domain.learning.answer_examples import (
    ANSWER_CHARS,
    ExampleQuestion,
    impersonal_example,
    nearest_examples,
)

QUESTION = "Can I return a scarf?"


def test_the_nearest_by_meaning_come_before_those_by_words() -> None:
    questions = (
        ExampleQuestion("far", "Where is my parcel?", 0.9),
        ExampleQuestion("words", "How do I return the scarf I bought?"),
        ExampleQuestion("other", "Do you sell hats?"),
        ExampleQuestion("near", "May I send it back?", 0.1),
    )

    assert nearest_examples(QUESTION, questions) == ("near", "far", "words")


def test_without_an_encoder_the_nearest_share_the_rare_words() -> None:
    questions = (
        ExampleQuestion("a", "Where is the parcel that I want to return?"),
        ExampleQuestion("b", "Can I return a silk scarf?"),
        ExampleQuestion("c", "Do you sell hats?"),
    )

    assert nearest_examples(QUESTION, questions) == ("b", "a")


def test_there_are_at_most_three() -> None:
    questions = [ExampleQuestion(str(place), "return", place / 10) for place in range(9)]

    assert nearest_examples(QUESTION, questions) == ("0", "1", "2")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("Bonjour Camille Martin, votre colis est parti.", "Bonjour …, votre colis est parti."),
        ("We refunded £49.90 for #7001.", "We refunded … for …."),
        ("Nous avons remboursé 1 249,90 € hier.", "Nous avons remboursé … hier."),
        ("That is 49 euros, thanks.", "That is …, thanks."),
        ("Write to zoe@x.fr or 06 39 98 00 00, please.", "Write to … or …, please."),
        ("See https://example.com/lien for it.", "See … for it."),
        ("We sent it to 12 rue de l'Exemple, 75001 Paris.", "We sent it to …."),
    ],
)
def test_an_example_names_no_person_number_or_amount(answer: str, shown: str) -> None:
    example = impersonal_example(QUESTION, answer)

    assert example is not None
    assert example.answer == shown


def test_an_amount_in_words_leaves_the_example_out() -> None:
    assert impersonal_example(QUESTION, "We refund forty-nine euros.") is None


def test_an_example_is_cut() -> None:
    example = impersonal_example(QUESTION, "word " * 5_000)

    assert example is not None
    assert len(example.answer) <= ANSWER_CHARS


def test_an_example_of_private_words_alone_is_left_out() -> None:
    assert impersonal_example("7001", "Yes, gladly.") is None
