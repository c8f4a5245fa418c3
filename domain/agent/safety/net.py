"""The safety net: detect sensitive topics, which always require a human, before a brain is called.

The search covers French and English and takes linear time. The patterns are in
`sensitive_frames.yaml`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.safety.sensitive_frames import frames
from domain.agent.size_limits import READ_CHARS
from domain.core.effort import spend
from domain.core.text import fold

_WORD: Final = re.compile(r"\w+")


def sensitive_matter(text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
    """Return the sensitive topic in `text`, or None if the agent may answer.

    `own_words` are the merchant's sensitive words or phrases, matched as whole words regardless of
    case and accents. Reads the first `READ_CHARS` characters.
    """
    read = text[:READ_CHARS]
    found = frames().matter(read)
    if found is None and says_own(read, own_words):
        return SensitiveMatter.OWN
    return found


class SafetyGrammar:
    """A safety net that uses only the grammar of sensitive topics, and no classifier."""

    def matter(self, text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
        """Return the sensitive topic of a text, as `sensitive_matter` does."""
        return sensitive_matter(text, own_words)


def says_own(text: str, own_words: Sequence[str]) -> bool:
    """Return True if the text contains one of the merchant's own sensitive words. Reads the first
    `READ_CHARS` characters."""
    if not own_words:
        return False
    spend(min(len(text), READ_CHARS) * len(own_words))
    words = _worded(text[:READ_CHARS])
    return any(own in words for own in _all_worded(tuple(own_words)))


@lru_cache(maxsize=1_000)
def _all_worded(own_words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(own for own in map(_worded, own_words) if own.strip())


def _worded(text: str) -> str:
    return f" {' '.join(_WORD.findall(fold(text)))} "
