"""The ready-made templates of the shops in the evaluation."""

from functools import cache

from domain.agent.brain import Template
from domain.core.lexicon import LexiconFile, lexicon


class ReadyAnswers(LexiconFile):
    """Templates of an evaluated shop.

    `ready`: the six templates that the authors of the sets knew. `promising`: templates that
    promise a refund, for an agent that may refund without a person.
    """

    ready: tuple[Template, ...]
    promising: tuple[Template, ...]


@cache
def ready_answers() -> ReadyAnswers:
    return lexicon(__file__, ReadyAnswers)
