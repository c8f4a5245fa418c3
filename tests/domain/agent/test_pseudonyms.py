"""Personal data in texts for a model provider: marks that can be restored exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.pseudonyms import NoPseudonyms, Pseudonyms

HIDDEN = [
    ("Write to Eve.Smith@example.com, please.", "Write to [EMAIL-1], please."),
    ("Call 06 12 34 56 78 or +33 6 98 76 54 32.", "Call [PHONE-1] or [PHONE-2]."),
    ("My card is 4242 4242 4242 4242.", "My card is [CARD-1]."),
    ("IBAN FR76 3000 6000 0112 3456 7890 189", "IBAN [IBAN-1]"),
    ("J'habite au 12 rue des Lilas, 75011 Paris", "J'habite au [ADDRESS-1], [ADDRESS-2]"),
    ("I live at 4 Privet Drive.", "I live at [ADDRESS-1]"),
    ("a@b.example, then a@b.example", "[EMAIL-1], then [EMAIL-1]"),
    # A text that looks like a mark is replaced too.
    ("I saw [EMAIL-1] and a@b.example", "I saw [TEXT-1] and [EMAIL-1]"),
]


@pytest.mark.parametrize(("text", "hidden"), HIDDEN)
def test_personal_data_is_replaced(text: str, hidden: str) -> None:
    pseudonyms = Pseudonyms()

    assert pseudonyms.hide(text) == hidden
    assert pseudonyms.restore(hidden) == text


@pytest.mark.parametrize(
    "text",
    [
        "My order 1042 of 3 May cost 49.90 EUR, see https://shop.example/returns.",
        "Ma commande 10425 Merci d'avance",
        "Order #10425 Thanks",
        "Livraison le 01/02/2026 15h30",
        "The lamp AB-1042 has 40 W and 2.5 kg.",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert Pseudonyms().hide(text) == text


def test_a_kept_value_stays() -> None:
    assert Pseudonyms("0612345678").hide("Order 0612345678") == "Order 0612345678"


def test_unknown_marks_are_found() -> None:
    pseudonyms = Pseudonyms()
    pseudonyms.hide("a@b.example")

    assert not pseudonyms.has_unknown("Hello [EMAIL-1], [brackets]")
    assert pseudonyms.has_unknown("Hello [EMAIL-2]")
    assert pseudonyms.restore("[EMAIL-2]") == "[EMAIL-2]"


def test_words_of_a_finding_get_the_same_mark() -> None:
    pseudonyms = Pseudonyms()
    pseudonyms.hide("Write to Eve@Example.com")

    assert pseudonyms.hide_folded("eve@example.com") == "[EMAIL-1]"
    assert pseudonyms.hide_folded("other@example.com") == "[EMAIL-2]"


def test_pseudonyms_may_be_off() -> None:
    assert NoPseudonyms().hide("a@b.example [EMAIL-1]") == "a@b.example [EMAIL-1]"


PIECES = st.sampled_from(
    [
        *("a@b.example", "06 12 34 56 78", "+44 20 7946 0958", "4242 4242 4242 4242", "[EMAIL-1]"),
        *("FR76 3000 6000 0112 3456 7890 189", "12 rue des Lilas", "75011 Paris", "[TEXT-1]", "["),
        *(
            "[PHONE-2]",
            "[EMAIL-",
            "-1]",
            "]",
            "1",
            " ",
            "\n",
            "order 10425 Lamp",
            "é",
            "@",
            "EMAIL",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=12).map("".join))


@given(st.lists(TEXTS, max_size=4))
def test_what_was_hidden_is_restored_exactly(texts: list[str]) -> None:
    pseudonyms = Pseudonyms()

    hidden = [pseudonyms.hide(text) for text in texts]

    assert [pseudonyms.restore(text) for text in hidden] == texts
    assert not any(map(pseudonyms.has_unknown, hidden))
