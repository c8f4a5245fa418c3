"""The acknowledgement that a customer receives when the agent hands off the message to a human.

The acknowledgement does not mention the topic, and does not promise an outcome or a time. Its texts
are in `acknowledgement.yaml`.
"""

from functools import cache
from typing import Final

from domain.agent.languages import OURS, SPOKEN
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.lexicon import LexiconFile, lexicon
from domain.tenants.client_settings import ClientSettings

_OTHERWISE: Final = "en"


class _File(LexiconFile):
    """The built-in texts by language. `in_danger` exists only in French and English."""

    sensitive: dict[str, str]
    language: dict[str, str]
    greeting: dict[str, str]
    in_danger: dict[str, str]


def acknowledgement(
    settings: ClientSettings, language: str, brand: str, matter: SensitiveMatter
) -> str:
    """Return the acknowledgement of a sensitive topic: the merchant's text in the customer's
    language, the built-in text in that language, or the built-in English text.

    `brand`: the sender's name. For SELF_HARM, the built-in text with help for people in danger is
    appended.
    """
    words = settings.acknowledgement.get(language)
    if words is None:
        words = _built_in(_file().sensitive, language, brand)
    if matter is SensitiveMatter.SELF_HARM:
        spoken = language if language in OURS else _OTHERWISE
        return f"{words}\n\n{_file().in_danger[spoken]}"
    return words


def acknowledged_in(language: str | None, brand: str) -> str | None:
    """Return the acknowledgement for a message in a language that the agent does not support.
    `brand`: the sender's name.

    Return None if the agent supports the language, or if there is no text in the language.
    """
    if language is None or language in OURS or language not in SPOKEN:
        return None
    return _built_in(_file().language, language, brand)


def _built_in(texts: dict[str, str], language: str, brand: str) -> str:
    spoken = language if language in texts else _OTHERWISE
    return f"{_file().greeting[spoken]}\n\n{texts[spoken]}\n\n{brand}".strip()


@cache
def _file() -> _File:
    return lexicon(__file__, _File)
