"""Preloading of the words and the grammar, before the first message needs them."""

from typing import Final

from domain.agent.consent.answering_words import answer_words
from domain.agent.speech.reading import spoken_request

# A plain request, a likely one, one after unknown words, and a cancellation: one per form.
_READ_BY_EACH_FORM: Final = ("refund 2040 please", "refund", "zebra zebra refund", "cancel")


def load_speech() -> None:
    """Load all words and compile the grammar, so that the first message need not wait for it.

    Raises BrokenLexicon.
    """
    for text in _READ_BY_EACH_FORM:
        spoken_request(text)
    answer_words()
