"""The templates of the shops that receive the messages of the sets."""

from functools import cache

from domain.agent.brain import Template
from domain.core.lexicon import LexiconFile, lexicon


class ReadyAnswers(LexiconFile):
    """`ready`: the six templates that the writers of the sets knew. `promising`: the templates that
    promise a refund, for an agent that may refund without a person."""

    ready: tuple[Template, ...]
    promising: tuple[Template, ...]


@cache
def ready_answers() -> ReadyAnswers:
    return lexicon(__file__, ReadyAnswers)
