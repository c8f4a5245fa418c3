"""The ready-made templates for the shops in the evaluation."""

from functools import cache

from domain.agent.brain import Template
from domain.core.lexicon import LexiconFile, lexicon


class ReadyAnswers(LexiconFile):
    """The templates of an evaluated shop. `ready` are the six that the sets' authors know.
    `promising` promise a refund, for an agent that may refund without approval."""

    ready: tuple[Template, ...]
    promising: tuple[Template, ...]


@cache
def ready_answers() -> ReadyAnswers:
    return lexicon(__file__, ReadyAnswers)
