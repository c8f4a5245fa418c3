"""The language of a customer's message, detected from its text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from domain.agent.brain import Language

# The languages in which a customer can receive an acknowledgement.
SPOKEN: Final = ("fr", "en", "de", "es", "it", "nl", "pt")
# The languages supported by the agent's rules and its own texts.
OURS: Final[tuple[Language, Language]] = ("fr", "en")
# A language with a lower probability counts as unknown.
KNOWN_FROM: Final = 0.6


@dataclass(frozen=True, slots=True)
class ReadLanguage:
    """The possible languages of a text (ISO 639-1) with their probabilities, which sum to 1."""

    probabilities: Mapping[str, float]

    @property
    def code(self) -> str:
        """Return the ISO 639-1 code of the most probable language."""
        return max(self.probabilities, key=lambda code: self.probabilities[code])

    @property
    def probability(self) -> float:
        return self.probabilities[self.code]

    @property
    def known(self) -> str | None:
        """Return the most probable language, or None if its probability is too low."""
        return self.code if self.probability >= KNOWN_FROM else None

    @property
    def ours(self) -> Language:
        """Return the more probable of French and English."""
        french, english = (self.probabilities.get(code, 0.0) for code in OURS)
        return "fr" if french >= english else "en"

    @property
    def ours_probability(self) -> float:
        """Return the probability of `ours`, from 0.5 to 1, assuming that the text is French or
        English."""
        both = sum(self.probabilities.get(code, 0.0) for code in OURS)
        return self.probabilities.get(self.ours, 0.0) / both if both else 0.5


class LanguageReader(Protocol):
    """The port of language detection for a text."""

    def __call__(self, text: str, likely: Sequence[str] = ()) -> ReadLanguage:
        """Return the possible languages of a text, detected from its beginning. `likely` are the
        languages used in the thread and by the shop."""
