"""The acknowledgement sent when the agent hands off a message to a human.

It mentions no topic and promises neither an outcome nor a time. Its texts are in
`acknowledgement.yaml`.
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
    """Return the acknowledgement of a sensitive topic, in the customer's language if possible.

    The merchant's text takes precedence over the built-in text. SELF_HARM adds contacts for people
    in danger.
    """
    words = settings.acknowledgement.get(language)
    if words is None:
        words = _built_in(_file().sensitive, language, brand)
    if matter is SensitiveMatter.SELF_HARM:
        spoken = language if language in OURS else _OTHERWISE
        return f"{words}\n\n{_file().in_danger[spoken]}"
    return words


def acknowledged_in(language: str | None, brand: str) -> str | None:
    """Return the acknowledgement in the language of an unsupported message, or None.

    Return None if the agent supports the language, or if there is no text in that language.
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
