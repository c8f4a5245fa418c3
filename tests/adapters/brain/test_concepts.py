"""Words with the same meaning share one token."""

import pytest

from adapters.brain.concepts import concepts


@pytest.mark.parametrize(
    ("concept", "said"),
    [
        ("refund", ["refund", "refunded", "remboursement", "remboursez", "reimburse"]),
        ("cancel", ["cancel", "annuler", "annullation", "cancelled"]),
        ("product", ["fridge", "canape", "laptop"]),
        ("thanks", ["thanks", "merci", "merciiiii"]),
    ],
)
def test_both_languages_share_a_concept(concept: str, said: list[str]) -> None:
    assert all(concept in concepts(word) for word in said)


@pytest.mark.parametrize("word", ["", "zzz", "1042", "xylophone"])
def test_an_unknown_word_has_no_concept(word: str) -> None:
    assert concepts(word) == ()
