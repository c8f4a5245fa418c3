"""The safety net: the messages that it holds in both languages, and those that it releases."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from domain.agent.safety.net import sensitive_matter
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.size_limits import READ_CHARS
from domain.core.strict_yaml import read_yaml
from tests.support.core.each import each


class NetMessages(BaseModel):
    held: dict[SensitiveMatter, tuple[str, ...]]
    harmless: tuple[str, ...]


MESSAGES: Final = NetMessages.model_validate(
    read_yaml(Path(__file__).with_name("messages.yaml").read_text(encoding="utf-8"))
)


@each([text for texts in MESSAGES.held.values() for text in texts])
def test_what_must_reach_a_human_is_held(text: str) -> None:
    assert sensitive_matter(text) is not None


@each(MESSAGES.harmless)
def test_what_only_sounds_alike_is_not(text: str) -> None:
    assert sensitive_matter(text) is None


@pytest.mark.parametrize("matter", MESSAGES.held)
def test_the_matter_is_the_right_one_for_nearly_all(matter: SensitiveMatter) -> None:
    """A message may contain two topics: for the customer, it matters only that it is held."""
    texts = MESSAGES.held[matter]
    assert len(texts) >= 15
    right = sum(sensitive_matter(text) is matter for text in texts)
    assert right >= 0.75 * len(texts)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("MON ENFANT S'EST BRÛLÉ", "mon enfant s'est brulé"),
        ("je suis aux urgences, hopittal de Lyon", "je suis aux urgences, hôpital de Lyon"),
        ("jveux mourrrrir", "je veux mourir"),
        ("my lawer will write to you", "my lawyer will write to you"),
        ("j'ai porté l'afaire : depot de plainnte", "dépôt de plainte"),
        ("i dont want to live anymore", "I don't want to live anymore"),
        ("journalsite au Monde", "journaliste au Monde"),
        ("suppprimez mon compte", "Supprimez mon compte"),
    ],
)
def test_typos_doubled_letters_capitals_and_accents(written: str, plain: str) -> None:
    assert sensitive_matter(written) is sensitive_matter(plain) is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Il y a du plomb dedans ?", ["plomb"]),
        ("IL Y A DU PLÓMB", ["plomb"]),
        ("un rappel   produit, vraiment", ["Rappel produit"]),
        ("C++ ?", ["c++"]),
    ],
)
def test_own_words_are_found_whatever_their_case_and_accents(text: str, words: list[str]) -> None:
    assert sensitive_matter(text) is None
    assert sensitive_matter(text, words) is SensitiveMatter.OWN


def test_own_words_are_whole_words() -> None:
    assert sensitive_matter("Le plombier passe demain", ["plomb"]) is None
    assert sensitive_matter("rappel du produit", ["rappel produit"]) is None
    assert sensitive_matter("bonjour", ["", "  ", "?!"]) is None


def test_what_is_known_comes_before_own_words() -> None:
    assert sensitive_matter("Je veux mourir", ["mourir"]) is SensitiveMatter.SELF_HARM


def test_reads_no_further_than_its_bound() -> None:
    said = "Mon avocat vous contactera."
    assert sensitive_matter("x " * (READ_CHARS // 2) + said) is None
    assert sensitive_matter("x " * (READ_CHARS // 2 - len(said)) + said) is not None


@given(st.text(max_size=300))
def test_never_raises(text: str) -> None:
    assert sensitive_matter(text, ["mot", text[:80]]) in (None, *SensitiveMatter)


@given(
    st.lists(
        st.sampled_from(
            [
                "je",
                "suis",
                "mort",
                "my",
                "son",
                "12",
                "ans",
                "£",
                ".",
                "ma",
                "carte",
                "police",
                "ne",
            ]
        )
    )
)
def test_never_raises_on_words_of_its_own(words: list[str]) -> None:
    assert sensitive_matter(" ".join(words)) in (None, *SensitiveMatter)
