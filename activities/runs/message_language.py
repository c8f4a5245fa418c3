"""The language of a message, within a limit on CPU time."""

from domain.agent.brain import Language
from domain.agent.speech.language import spoken_language
from domain.core.errors import OverBudget
from services.core.cpu_guard import limited


def message_language(text: str) -> Language:
    """Return French or English, as `spoken_language` does. If the text is too expensive to examine,
    return French, as for a text without words."""
    try:
        return limited(lambda: spoken_language(text))
    except OverBudget:
        return "fr"
