"""Messages that only praise, and need no answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.intents.praise import only_praises, praise_in, with_plain_praise


@pytest.mark.parametrize(
    "text",
    [
        "Bravo à toute l'équipe, vous êtes formidables 👏",
        "Ma grand-mère a adoré son plaid, elle ne le quitte plus 🥰 merci",
        "Problème résolu grâce à vous, je vous en suis très reconnaissante",
        "All good now, that did the trick, you're a lifesaver. Have an awesome day!",
        "That handwritten note in the box made my week. Whoever wrote it deserves a raise!",
        "Pas déçue du tout !",
        "Je n'ai vraiment pas été déçue, bravo",
        "Rien à redire.",
        "Aucun reproche, tout est parfait",
        "I can't complain",
        "You never disappoint",
        "Couldn't be happier!",
        "No complaints here!",
    ],
)
def test_praise(text: str) -> None:
    assert only_praises(text, 0.5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Merci",
        "Merci, je passe demain",
        "Great, another lost parcel",
        "Bravo, deux semaines de retard",
        "Merci pour rien",
        "Thanks for nothing",
        "Super, toujours rien",
        "Félicitations, vous avez perdu une cliente",
        "I am not happy",
        "Pas ravie du tout",
        "Bravo 😡",
        "I love the dress. Can I have it in blue?",
        "J'adore votre boutique, commande 1042",
        "Oui, volontiers, c'est gentil",
        "I love it but the zip broke",
        "Your site is lovely, please delete my account",
    ],
)
def test_what_is_more_than_praise(text: str) -> None:
    assert not only_praises(text, 1.0)


def test_few_words_of_praise_need_a_good_mood() -> None:
    text = "Trois lavages et il est informe. Bravo."
    assert praise_in(text) == 1
    assert not only_praises(text, -0.6)


def test_a_denial_of_blame_is_read_as_praise() -> None:
    assert with_plain_praise("Je ne suis pas déçue du tout.") == "je suis perfect"
    assert with_plain_praise("I can't complain. Is it blue?") == "i perfect. is it blue"
    assert with_plain_praise("Je suis déçue.") == "Je suis déçue."


@given(st.text(max_size=3_000), st.floats(-1, 1))
def test_any_text_is_read(text: str, mood: float) -> None:
    only_praises(text, mood)
    with_plain_praise(text)
