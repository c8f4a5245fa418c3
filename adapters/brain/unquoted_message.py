"""The text that the customer wrote in a message, without quoted emails and the signature."""

import re
from typing import Final

from adapters.brain.concepts import concepts
from adapters.brain.features import fold, words
from domain.agent.brain import BrainRequest
from domain.agent.intents.wanted import intents
from domain.agent.speech.reading import spoken_request
from domain.intake.mail_text import latest_reply

_SUBJECT_READ: Final = 200
# A last line that matches this pattern, after at least `_MESSAGE_WORDS` words, is the sender's
# name.
_NAME: Final = re.compile(r"(?:[^\W\d_a-zß-ÿ][\w'’.-]*[ ,.]*){1,3}")
_MESSAGE_WORDS: Final = 4
_ASSENT: Final = frozenset(["oui", "ouais", "yes", "yeah", "yep", "please"])


def unquoted_message(request: BrainRequest) -> str:
    """Return the subject and the message, without quoted emails."""
    return f"{(request.subject or '')[:_SUBJECT_READ]}\n{latest_reply(request.text)}".strip()


def unsigned(text: str) -> str:
    """Return the text without a signature in its last line, because a signature contains no
    information about the request."""
    said, line, name = text.rstrip().rpartition("\n")
    if not line or len(words(fold(said))) < _MESSAGE_WORDS or not _NAME.fullmatch(name.strip()):
        return text
    return text if intents(name) or spoken_request(name).kind else said


def without_sender(text: str, name: str) -> str:
    """Return the text without a last line that consists only of words from the sender's `name`. Any
    other name may be a product name, which matters for the answer."""
    said, line, last = text.rstrip().rpartition("\n")
    signed = set(words(fold(last)))
    return said if line and signed and signed <= set(words(fold(name))) else text


def last_words_of_customer(request: BrainRequest) -> str:
    """Return the customer's latest message, or an empty text if there is none."""
    said = (turn.body for turn in reversed(request.turns) if turn.author == "customer")
    return next(said, "")


def is_thanks(said: list[str]) -> bool:
    """Return whether the message ends the conversation with thanks. "Yes, thanks" does not end the
    conversation, because the customer accepts an offer."""
    return any("thanks" in concepts(word) for word in said) and not _ASSENT.intersection(said)


def is_wordless(text: str) -> bool:
    """Return True if the text has no words, or is mostly in a script that the embedded brain cannot
    read."""
    folded = fold(text)
    readable = sum(mark.isalpha() for mark in folded)
    return readable * 2 < sum(mark.isalpha() for mark in text[: len(folded)]) or readable == 0
