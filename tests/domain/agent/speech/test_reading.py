import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from domain.agent.plan import ActionKind
from domain.agent.speech.language import has_grammar
from domain.agent.speech.reading import spoken_request, veto_of
from domain.agent.speech.request import Standing, Veto
from domain.core.strict_yaml import read_yaml
from tests.support.core.each import each

# By the grammar's author, and by two authors who had not seen it.
_MORE: Final = ("variants.yaml", "writer_f.yaml", "writer_h.yaml")
_ASKED: Final = (Standing.PLAIN, Standing.LIKELY)


class Messages(BaseModel):
    plain: dict[ActionKind, tuple[str, ...]] = {}
    asked: dict[ActionKind, tuple[str, ...]]
    nothing: tuple[str, ...]


@cache
def messages(name: str) -> Messages:
    file = Path(__file__).with_name(name)
    return Messages.model_validate(read_yaml(file.read_text(encoding="utf-8")))


def of_both() -> list[Messages]:
    return [messages("english.yaml"), messages("french.yaml")]


def pairs(of: str) -> list[tuple[ActionKind, str]]:
    return [
        (kind, text)
        for language in of_both()
        for kind, listed in getattr(language, of).items()
        for text in listed
    ]


def plain_ones(texts: list[str]) -> list[str]:
    return [text for text in texts if spoken_request(text).standing is Standing.PLAIN]


PLAIN: Final = [text for _, text in pairs("plain")]
ONE_SENTENCE: Final = [text for text in PLAIN if re.fullmatch(r"[^.!?\n]*[.!?]?", text)]
NOTHING: Final = [text for language in of_both() for text in language.nothing]
MORE_ASKED: Final = [
    (kind, text) for name in _MORE for kind, said in messages(name).asked.items() for text in said
]
MORE_NOTHING: Final = [text for name in _MORE for text in messages(name).nothing]


@each(pairs("plain"))
def test_what_is_asked_for_in_so_many_words(kind: ActionKind, text: str) -> None:
    request = spoken_request(text)

    assert (request.kind, request.standing) == (kind, Standing.PLAIN)
    assert request.quote
    assert request.quote in text


@each(pairs("asked") + MORE_ASKED)
def test_what_is_asked_for_in_other_words(kind: ActionKind, text: str) -> None:
    request = spoken_request(text)

    assert request.kind == kind
    assert request.standing in _ASKED


@each(NOTHING + MORE_NOTHING)
def test_what_asks_for_nothing(text: str) -> None:
    assert spoken_request(text).standing is Standing.NONE


def test_the_tables_are_large_enough() -> None:
    assert len(pairs("plain")) + len(pairs("asked")) + len(NOTHING) >= 500


@pytest.mark.parametrize(
    "around",
    [
        '"{}"',
        "« {} »",
        "“{}”",
        "> {}",
        "If it breaks, {}",
        "Si ça casse, {}",
        "My sister says: {}",
        "Ma sœur dit : {}",
        "Translate: {}",
        "Traduis : {}",
        "You wrote: {}",
    ],
)
def test_a_request_that_is_not_ones_own_is_never_plain(around: str) -> None:
    said = [around.format(text) for text in ONE_SENTENCE]

    assert plain_ones(said) == []


@pytest.mark.parametrize(
    "behind",
    [" Forget it.", " Actually no, I'll keep it.", " Laissez tomber.", " Finalement je la garde."],
)
def test_a_request_that_is_taken_back_is_never_plain(behind: str) -> None:
    assert plain_ones([text + behind for text in PLAIN]) == []


@pytest.mark.parametrize("verb", ["refund", "cancel"])
@pytest.mark.parametrize("no", ["don't", "do not", "never", "please don't", "you must not", "dont"])
def test_a_forbidden_action_is_none(verb: str, no: str) -> None:
    request = spoken_request(f"{no} {verb} order 2040")

    assert request.standing is Standing.NONE
    assert Veto.NEGATED in request.vetoes


@pytest.mark.parametrize("verb", ["remboursez", "annulez", "rembourse", "annule"])
@pytest.mark.parametrize("frame", ["ne {} pas la 2040", "{} pas la 2040", "surtout ne {} rien"])
def test_a_forbidden_action_in_french_is_none(verb: str, frame: str) -> None:
    assert spoken_request(frame.format(verb)).standing is Standing.NONE


@given(st.text(max_size=400))
def test_never_raises(text: str) -> None:
    spoken_request(text)
    veto_of(text[: len(text) // 2], text)
    has_grammar(text)


@given(
    st.lists(
        st.sampled_from(
            ["the", "my", "order", "please", "i", "want", "2040", "ma", "commande", "je"]
        )
    )
)
def test_without_the_name_of_an_action_nothing_is_asked_for(words: list[str]) -> None:
    assert spoken_request(" ".join(words)).standing is Standing.NONE


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("english.yaml", "Don't"),
        ("english.yaml", "Never"),
        ("english.yaml", "If"),
        ("english.yaml", "Unless"),
        ("english.yaml", "Si"),
        ("french.yaml", "Ne pas"),
        ("french.yaml", "Jamais"),
        ("french.yaml", "Si"),
        ("french.yaml", "If"),
    ],
)
def test_a_word_before_a_request_that_turns_it_round(language: str, word: str) -> None:
    listed = [text for texts in messages(language).plain.values() for text in texts]
    clauses = [text for text in listed if re.fullmatch(r"[^,.!?\n]*[.!?]?", text)]

    assert len(clauses) > 30
    assert plain_ones([f"{word} {text}" for text in clauses]) == []


@pytest.mark.parametrize(
    "filler",
    [
        "a ",
        "please ",
        "refund ",
        "i want ",
        "the order ",
        '"',
        "« ",
        "\n",
        "( ",
        "1 ",
        "je veux ",
        "? ",
        "'a ",
        "1,",
    ],
)
def test_a_long_text_is_read_within_bounds(filler: str) -> None:
    text = (filler * 30_000)[:60_000]

    assert spoken_request(text).standing is not Standing.PLAIN


def test_a_request_in_a_text_too_long_to_be_read_is_no_plain_one() -> None:
    assert spoken_request("Refund order 2040. " + "It is blue. " * 30).standing is Standing.PLAIN
    assert spoken_request("Refund order 2040. " + "It is blue. " * 500).standing is Standing.LIKELY


@pytest.mark.parametrize(
    ("quote", "text", "veto"),
    [
        ("refund order 2040", "Please refund order 2040", None),
        ("I am done with 2040", "I am done with 2040, do what you must", None),
        ("refund order 2040", "Please do not refund order 2040", Veto.NEGATED),
        ("refund order 2040", "My sister says: refund order 2040", Veto.OTHER_PERSON),
        ("refund order 2040", 'You wrote "refund order 2040".', Veto.QUOTED),
        ("refund order 2040", "If it breaks, refund order 2040", Veto.CONDITIONAL),
        ("refund order 2040", "Refund order 2040. Forget it.", Veto.QUOTED),
        ("Refund order 2040", "Refund order 2040. Forget it.", Veto.WITHDRAWN),
        ("remboursez la 2040", "Ne remboursez surtout pas la 2040", Veto.QUOTED),
        ("rembourser la 2040", "Je ne veux pas me faire rembourser la 2040", Veto.NEGATED),
        ("refund half of 2040", "Please refund half of 2040", Veto.PART),
        ("", "Please refund order 2040", Veto.QUOTED),
    ],
)
def test_what_speaks_against_the_quote_of_a_model(quote: str, text: str, veto: Veto | None) -> None:
    assert veto_of(quote, text) == veto


@pytest.mark.parametrize(
    "text",
    ["Refund order 2040", "Je voudrais être remboursé", "Hi", "", "2040", "Where is my parcel?"],
)
def test_a_language_with_a_grammar(text: str) -> None:
    assert has_grammar(text)


@pytest.mark.parametrize(
    "text",
    [
        "Quiero un reembolso de mi pedido 2040 por favor",
        "Ich möchte bitte meine Bestellung 2040 stornieren",
        "Vorrei il rimborso del mio ordine 2040, grazie",
        "Ik wil mijn bestelling 2040 annuleren alstublieft",
        "Quero cancelar o meu pedido 2040",
        "我想退款 订单 2040",
        "Хочу вернуть деньги за заказ 2040",
        "أريد استرداد المال للطلب 2040",
    ],
)
def test_a_language_without_a_grammar(text: str) -> None:
    assert not has_grammar(text)
    assert spoken_request(text).standing is not Standing.PLAIN
