"""Language detection with py3langid, a naive Bayes model over bytes. The py3langid package contains
the model."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from py3langid.langid import (  # type: ignore[import-untyped]  # has no types
    MODEL_FILE,
    LanguageIdentifier,
)

from domain.agent.languages import OURS, SPOKEN, ReadLanguage
from domain.core.effort import spend

READ_CHARACTERS: Final = 1_000
# Customers also write in these languages, but the agent has no texts in them.
_OTHERS: Final = (
    *("ar", "cs", "da", "el", "fi", "he", "hu", "ja", "ko", "no"),
    *("pl", "ro", "ru", "sv", "tr", "uk", "zh"),
)
# Prior weights of the languages. They are decisive only for short texts.
_OURS: Final = 3.0
_LIKELY: Final = 4.0
_OTHER: Final = 0.3
_NO_WORDS: Final = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w.-]+|\d+|#\S+")
_CAPITALS: Final = re.compile(r"\b[^\W\d_a-zß-ÿ]{2,}\b")


def read_language(text: str, likely: Sequence[str] = ()) -> ReadLanguage:
    """Return the probability of each language, given the `likely` ones. Implements `LanguageReader`
    (`domain.agent.languages`)."""
    read = text[:READ_CHARACTERS]
    spend(len(read))
    words = _CAPITALS.sub(lambda word: word[0].lower(), _NO_WORDS.sub(" ", read))
    found: dict[str, float] = dict(_identifier().rank(words.strip()))
    weighed = {code: share * _prior(code, likely) for code, share in found.items()}
    total = sum(weighed.values())
    return ReadLanguage({code: share / total for code, share in weighed.items()})


def _prior(code: str, likely: Sequence[str]) -> float:
    known = _OURS if code in OURS else 1.0 if code in SPOKEN else _OTHER
    return known * (_LIKELY if code in likely else 1.0)


@cache
def _identifier() -> LanguageIdentifier:
    """Return the language detector, which is loaded once per process."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*SPOKEN, *_OTHERS])
    return identifier
