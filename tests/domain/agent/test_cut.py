"""Sentences without a source are removed if the rest of an answer stands by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.grounding.assertion import sentences
from domain.agent.grounding.cut import Check, CutAnswer, cut_answer
from domain.agent.guard_finding import FindingReason, FindingState, GuardFinding


def rejecting(*bad: str, reason: FindingReason = FindingReason.NO_SOURCE) -> Check:
    return lambda text: tuple(GuardFinding(words=one, reason=reason) for one in bad if one in text)


def cut(text: str, *bad: str, language: str = "en") -> CutAnswer | None:
    return cut_answer(text, language, "Boutique", rejecting(*(bad or ("49",))))


STANDS = [
    (
        "Hello,\n\nDelivery takes 3 days. The lamp costs 49 €.\n\nKind regards,\nBoutique",
        "Hello,\n\nDelivery takes 3 days.\n\nKind regards,\nBoutique",
    ),
    (
        "Delivery takes 3 days. The lamp costs 49 €. Our shop opens at 9 am.",
        "Delivery takes 3 days. Our shop opens at 9 am.",
    ),
    (
        "Delivery takes 3 days.\nThe lamp costs 49 €.\nOur shop opens at 9 am.",
        "Delivery takes 3 days.\n\nOur shop opens at 9 am.",
    ),
]


@pytest.mark.parametrize(("text", "rest"), STANDS)
def test_a_fact_without_a_source_is_removed(text: str, rest: str) -> None:
    done = cut(text)

    assert done is not None
    assert done.text == rest
    assert [(one.words, one.state) for one in done.findings] == [("49", FindingState.CUT)]


@pytest.mark.parametrize(
    "text",
    [
        # The first statement is the answer.
        "The lamp costs 49 €. Delivery takes 3 days.",
        # Most of it is wrong.
        "Delivery takes 3 days. The lamp costs 49 €. The chair costs 149 €.",
        # Nothing would be left but courtesy.
        "Hello, the lamp costs 49 €. Kind regards,\nBoutique",
        # The sentence limits or denies another one.
        "You can return it. This is only possible within 49 days.",
        "Delivery is free. The order must reach 49 €.",
        "The lamp is in stock. It doesn't cost 49 €.",
        "Delivery takes 3 days. Above 49 kg, delivery is not possible.",
        # The next sentence refers to it.
        "Delivery takes 3 days. The lamp costs 49 €. It is blue.",
        "Delivery takes 3 days. The lamp costs 49 €. This includes the bulb.",
        "Delivery takes 3 days. The lamp costs 49 €. However, the shade is sold apart.",
        # A part of a list.
        "Delivery takes 3 days. Our prices are:\n- lamp: 49 €\n- chair: 20 €",
        "Delivery takes 3 days.\n1. Open the page 49.\n2. Fill in the form.",
        "Delivery takes 3 days. Here is the price: \nThe lamp costs 49 €.",
        # A question.
        "Delivery takes 3 days. Do you mean the lamp for 49 €?",
    ],
)
def test_a_rest_that_does_not_stand_is_held(text: str) -> None:
    assert cut(text) is None


@pytest.mark.parametrize("language", ["de", "es", "it", "nl", "pt", "xx"])
def test_other_languages_are_held(language: str) -> None:
    assert cut(STANDS[0][0], language=language) is None


@pytest.mark.parametrize("reason", sorted(set(FindingReason) - {FindingReason.NO_SOURCE}))
def test_claims_are_held(reason: FindingReason) -> None:
    assert cut_answer(STANDS[0][0], "en", "Boutique", rejecting("49", reason=reason)) is None


def test_french() -> None:
    text = "Bonjour,\n\nLa livraison prend 3 jours. La lampe coûte 49 €.\n\nBien à vous"

    done = cut(text, language="fr")

    assert done is not None
    assert done.text == "Bonjour,\n\nLa livraison prend 3 jours.\n\nBien à vous"
    for limit in ("Elle n'est livrée que dès 49 €.", "Sauf au-dessus de 49 kg.", "Hors 49 €."):
        assert cut(f"La livraison prend 3 jours. {limit}", language="fr") is None


def test_a_fact_that_only_the_whole_shows_is_held() -> None:
    def whole_only(text: str) -> tuple[GuardFinding, ...]:
        both = "3 days" in text and "9 am" in text
        bad = "49" in text or both
        return (GuardFinding(words="x", reason=FindingReason.NO_SOURCE),) if bad else ()

    assert cut_answer(STANDS[1][0], "en", "Boutique", whole_only) is None


PIECES = st.sampled_from(
    [
        *("Delivery takes 3 days.", "The lamp costs 49 €.", "It is blue.", "Hello,", "- a point"),
        *("But not on 49.", "Is it 49?", "Kind regards", "Our shop opens at 9 am.", "1. Step 49"),
        *("La lampe coûte 49 €.", "Returns take 30 days:", "Thank you.", "", "49", "«49 €»."),
    ]
)


@given(
    st.lists(st.tuples(PIECES, st.sampled_from([" ", "\n", "\n\n", "  "])), max_size=8),
    st.sampled_from(["fr", "en"]),
)
def test_a_cut_only_removes(parts: list[tuple[str, str]], language: str) -> None:
    text = "".join(piece + gap for piece, gap in parts)

    done = cut(text, language=language)

    if done is not None:
        assert "49" not in done.text
        assert done.findings
        left = list(sentences(text))
        for one in sentences(done.text):
            assert one in left
            left = left[left.index(one) + 1 :]
        assert {one for one in sentences(text) if "49" not in one} == set(sentences(done.text))
