"""Praise: its mood, and what a message that only praises is answered with."""

import dataclasses
from collections.abc import Sequence
from typing import Final

from adapters.brain.classifier import Classification, Classifier
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.intents.praise import only_praises, with_plain_praise
from domain.agent.intents.wanted import Want, Wants, read_wants

# A message that only praises has at least this sentiment, -1 to 1.
LEAST_MOOD: Final = 0.5
# "Wow, merci, you made my day": thanks are welcome in either language.
LEAST_LANGUAGE_PROBABILITY: Final = 0.9


def with_mood(classifier: Classifier, text: str, languages: Sequence[str] = ()) -> Classification:
    """Classify the text. In its sentiment "can't complain" is praise, though its words are not.

    `languages`: those that the text is likely to be in."""
    seen = classifier.classify(text, languages)
    plain = with_plain_praise(text)
    if plain == text:
        return seen
    return dataclasses.replace(seen, sentiment=classifier.classify(plain).sentiment)


def praise_wanted(text: str, mood: float) -> Wants | None:
    """Return thanks as the only want of a message that only praises; None of any other."""
    if not only_praises(text, mood) or read_wants(with_plain_praise(text)).all:
        return None
    return Wants(all=(Want(Intent.THANKS, (Category.OTHER,), text),))


def of_praise(seen: Classification) -> Classification:
    """Return the class of a message that only praises."""
    return dataclasses.replace(
        seen,
        category=Category.OTHER,
        sentiment=max(seen.sentiment, LEAST_MOOD),
        language_probability=max(seen.language_probability, LEAST_LANGUAGE_PROBABILITY),
    )
