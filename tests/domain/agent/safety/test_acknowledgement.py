"""What a customer is told whose matter went to a human at once."""

import re

import pytest

from domain.agent.safety.acknowledgement import acknowledgement
from domain.agent.safety.sensitive import SensitiveMatter
from domain.tenants.client_settings import ClientSettings

OWN = ClientSettings(acknowledgement={"fr": "Nous vous lisons. {brand}"})


@pytest.mark.parametrize("matter", SensitiveMatter)
@pytest.mark.parametrize("language", ["fr", "en", "de", ""])
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
