"""The AI disclosure: a line stating that an AI assistant wrote an answer.

Source: Regulation (EU) 2024/1689 (the EU AI Act), article 50.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from domain.core.plain_text import clean_line
from domain.core.text import fold
from domain.tenants.errors import InvalidSettings

MIN_DISCLOSURE: Final = 20
MAX_DISCLOSURE: Final = 300
"""Minimum and maximum length of a disclosure, in characters."""


class DisclosureStatus(StrEnum):
    """The setting of the disclosure. Each value except `on` is a reason for switching it off.

    - `stated_elsewhere`: the merchant's own texts mention the AI assistant.
    - `people_review`: a member reviews each answer before it is sent.
    - `not_covered`: the regulation does not apply to the merchant.

    The list is closed because the audit log stores the reason and contains no free text.
    """

    ON = "on"
    STATED_ELSEWHERE = "stated_elsewhere"
    PEOPLE_REVIEW = "people_review"
    NOT_COVERED = "not_covered"


DEFAULT_DISCLOSURE: Final[Mapping[str, str]] = {
    "fr": "Vous échangez avec notre assistant IA.",
    "en": "You are talking to our AI assistant.",
}
"""The default disclosure, by language. Its wording suits both the end of an answer and the widget's
greeting."""

# A disclosure must contain one of these words. Any other text would switch off the disclosure
# without a reason. The French pattern omits "ai" because it is a verb.
_NAMES_AI: Final[Mapping[str, re.Pattern[str]]] = {
    "fr": re.compile(
        r"\b(?:ia|intelligence artificielle|chatbot|robot|automatique(?:ment)?|automatisee?s?"
        r"|(?:assistante?|agent) virtuel(?:le)?)\b"
    ),
    "en": re.compile(
        r"\b(?:ai|artificial intelligence|chatbot|bot|robot|automated|automatically"
        r"|virtual (?:assistant|agent))\b"
    ),
}

# A text with a negation may deny that an AI assistant answers. The list is incomplete because a
# text can deny it in other words.
_NEGATES: Final[Mapping[str, re.Pattern[str]]] = {
    "fr": re.compile(
        r"\b(?:ne|ni|non|pas|point|jamais|aucune?s?|sans|nulle?s?|rien|personne)\b|\bn'"
    ),
    "en": re.compile(
        r"\b(?:not|no|never|none|nothing|nobody|nor|neither|without|cannot|hardly)\b|n't\b"
    ),
}


def check_disclosure(given: Mapping[str, str]) -> dict[str, str]:
    """Return the disclosures to store, by language, each as one line. Blank and default texts are
    omitted.

    Raises InvalidSettings, also for a text that mentions no AI assistant or contains a negation.
    """
    kept: dict[str, str] = {}
    for language, text in given.items():
        usual = DEFAULT_DISCLOSURE.get(language)
        if usual is None:
            raise InvalidSettings("disclosure: fr and en only", "disclosure : fr et en seulement")
        line = clean_line(text, MAX_DISCLOSURE + 1)
        if len(line) > MAX_DISCLOSURE:
            raise InvalidSettings(
                f"disclosure.{language}: at most {MAX_DISCLOSURE} characters",
                f"disclosure.{language} : {MAX_DISCLOSURE} caractères au plus",
            )
        if line and not _says_ai(line, language):
            raise InvalidSettings(
                f"disclosure.{language}: the text must say that an AI assistant answers, without a "
                "negation",
                f"disclosure.{language} : le texte doit dire qu'un assistant IA répond, sans "
                "négation",
            )
        if line and len(line) < MIN_DISCLOSURE:
            raise InvalidSettings(
                f"disclosure.{language}: at least {MIN_DISCLOSURE} characters",
                f"disclosure.{language} : {MIN_DISCLOSURE} caractères au moins",
            )
        if line and line != usual:
            kept[language] = line
    return kept


def disclosure_line(
    status: DisclosureStatus | str | None, texts: Mapping[str, str] | None, language: str
) -> str:
    """Return the disclosure in a language, else in English, or "" if it is switched off. `status`
    and `texts` are the client's settings, or None."""
    if (status or DisclosureStatus.ON) != DisclosureStatus.ON:
        return ""
    known = language if language in DEFAULT_DISCLOSURE else "en"
    return (texts or {}).get(known) or DEFAULT_DISCLOSURE[known]


def disclosures(status: DisclosureStatus, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the disclosure in each language, or an empty dict if the disclosure is switched
    off."""
    lines = {language: disclosure_line(status, texts, language) for language in DEFAULT_DISCLOSURE}
    return {language: line for language, line in lines.items() if line}


def disclosed(answer: str, line: str) -> str:
    """Return the agent's answer with the disclosure below it. An answer that is empty or already
    contains the disclosure line stays unchanged."""
    if not line or not answer.strip() or _flat(line) in map(_flat, answer.splitlines()):
        return answer
    return f"{answer.rstrip()}\n\n{line}"


def _says_ai(line: str, language: str) -> bool:
    said = fold(line).replace("\u2019", "'")
    return bool(_NAMES_AI[language].search(said)) and not _NEGATES[language].search(said)


def _flat(text: str) -> str:
    return " ".join(fold(text).split())
