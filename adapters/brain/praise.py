"""Messages that contain praise: the sentiment of praise, and the intent and category of a message
that contains only praise."""

import dataclasses
from collections.abc import Sequence
from typing import Final

from adapters.brain.classifier import Classification, Classifier
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.intents.praise import only_praises, with_plain_praise
from domain.agent.intents.wanted import Want, Wants, read_wants

# Minimum sentiment of a message that contains only praise, from -1 to 1.
LEAST_MOOD: Final = 0.5
# The language probability of a message that contains only praise is raised to this value. Praise
# such as "Wow, merci, you made my day" may be answered in either language.
LEAST_LANGUAGE_PROBABILITY: Final = 0.9


def with_mood(classifier: Classifier, text: str, languages: Sequence[str] = ()) -> Classification:
    """Return the classification of the text, with phrases such as "can't complain" as praise.
    `languages` are the text's likely languages."""
    seen = classifier.classify(text, languages)
    plain = with_plain_praise(text)
    if plain == text:
        return seen
    return dataclasses.replace(seen, sentiment=classifier.classify(plain).sentiment)


def praise_wanted(text: str, mood: float) -> Wants | None:
    """Return thanks as the only intent of a message that contains only praise, or None for any
    other message. `mood` is the message's sentiment, from -1 to 1."""
    if not only_praises(text, mood) or read_wants(with_plain_praise(text)).all:
        return None
    return Wants(all=(Want(Intent.THANKS, (Category.OTHER,), text),))


def of_praise(seen: Classification) -> Classification:
    """Return the classification of a message that contains only praise."""
    return dataclasses.replace(
        seen,
        category=Category.OTHER,
        sentiment=max(seen.sentiment, LEAST_MOOD),
        language_probability=max(seen.language_probability, LEAST_LANGUAGE_PROBABILITY),
    )
