"""Loading: the words and the grammar, before the first message needs them."""

from typing import Final

from domain.agent.consent.answering_words import answer_words
from domain.agent.speech.reading import spoken_request

# A request in so many words, a likely one, one behind unknown words, and a cancellation.
_READ_BY_EACH_FORM: Final = ("refund 2040 please", "refund", "zebra zebra refund", "cancel")


def load_speech() -> None:
    """Read all words and compile the grammar, which the first message would else wait for.

    Raises BrokenLexicon.
    """
    for text in _READ_BY_EACH_FORM:
        spoken_request(text)
    answer_words()
