"""Load the words and compile the grammar at startup."""

from typing import Final

from domain.agent.consent.answering_words import answer_words
from domain.agent.speech.reading import spoken_request

# One text for each kind of pattern in the grammar: a plain request, a likely request, a request
# after unknown words, and a cancellation.
_READ_BY_EACH_FORM: Final = ("refund 2040 please", "refund", "zebra zebra refund", "cancel")


def load_speech() -> None:
    """Load all words and compile the grammar, so that the first message does not have to wait.

    Raises BrokenLexicon if a file is invalid.
    """
    for text in _READ_BY_EACH_FORM:
        spoken_request(text)
    answer_words()
