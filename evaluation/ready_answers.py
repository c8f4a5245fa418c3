"""The templates of the shops that messages of the hands are sent to."""

from functools import cache

from domain.agent.brain import Template
from domain.core.lexicon import LexiconFile, lexicon


class ReadyAnswers(LexiconFile):
    """`ready`: the six that the hands were told of. `promising`: those that say that money is on
    its way, which an agent needs that may give it back by itself."""

    ready: tuple[Template, ...]
    promising: tuple[Template, ...]


@cache
def ready_answers() -> ReadyAnswers:
    return lexicon(__file__, ReadyAnswers)
