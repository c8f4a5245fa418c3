"""The templates of the shops that receive the messages of the sets."""

from functools import cache

from domain.agent.brain import Template
from domain.core.lexicon import LexiconFile, lexicon


class ReadyAnswers(LexiconFile):
    """`ready`: the six that the writers of the sets knew. `promising`: those that promise a refund.
    An agent that may refund without a person needs them."""

    ready: tuple[Template, ...]
    promising: tuple[Template, ...]


@cache
def ready_answers() -> ReadyAnswers:
    return lexicon(__file__, ReadyAnswers)
