"""The acknowledgement for a customer whose request was handed to a human at once."""

import re

import pytest

from domain.agent.languages import OURS, SPOKEN
from domain.agent.safety.acknowledgement import acknowledged_in, acknowledgement
from domain.agent.safety.sensitive import SensitiveMatter
from domain.tenants.client_settings import ClientSettings

OWN = ClientSettings(acknowledgement={"fr": "Nous vous lisons. {brand}"})


@pytest.mark.parametrize("matter", SensitiveMatter)
@pytest.mark.parametrize("language", [*SPOKEN, "pl", ""])
def test_built_in_words_assert_and_promise_nothing(matter: SensitiveMatter, language: str) -> None:
    said = acknowledgement(ClientSettings(), language, "Été & Fils {x}", matter)
    assert ("Nous avons bien reçu" in said) is (language == "fr")
    assert "Été & Fils {x}" in said
    assert ("112" in said) is (matter is SensitiveMatter.SELF_HARM)
    if matter is not SensitiveMatter.SELF_HARM:
        assert not re.search(r"\d|heure|hour|rembours|refund|désol|sorry", said)


def test_the_merchants_words_take_their_place_in_their_language() -> None:
    health, harm = SensitiveMatter.HEALTH, SensitiveMatter.SELF_HARM
    assert acknowledgement(OWN, "fr", "B", health) == "Nous vous lisons. {brand}"
    assert "Hello" in acknowledgement(OWN, "en", "B", health)
    with_numbers = acknowledgement(OWN, "fr", "B", harm)
    assert with_numbers.startswith("Nous vous lisons.")
    assert "3114" in with_numbers


@pytest.mark.parametrize("language", SPOKEN)
def test_each_language_has_words_of_its_own(language: str) -> None:
    said = {
        one: acknowledgement(ClientSettings(), one, "B", SensitiveMatter.LEGAL) for one in SPOKEN
    }
    assert len(set(said.values())) == len(SPOKEN)
    assert language in OURS or acknowledged_in(language, "B") not in (None, said[language])


@pytest.mark.parametrize("language", [*OURS, "pl", "", None])
def test_a_language_that_the_agent_answers_in_or_has_no_words_for(language: str | None) -> None:
    assert acknowledged_in(language, "B") is None


@pytest.mark.parametrize("language", sorted(set(SPOKEN) - set(OURS)))
def test_an_unanswered_language_promises_nothing(language: str) -> None:
    said = acknowledged_in(language, "Été & Fils {x}")
    assert said is not None
    assert "Été & Fils {x}" in said
    assert not re.search(r"\d", said)
