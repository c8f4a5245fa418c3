"""The phrasings of prompt injections, from the YAML file next to this module."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from domain.agent.plan import IN_PLACE, ActionKind
from domain.agent.safety.reason import UnsafeReason
from domain.core.lexicon import LexiconFile, expression, lexicon

Phrasing = tuple[UnsafeReason, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Phrasings:
    """The patterns of prompt injections. `markup` matches the text with punctuation and line
    breaks. `words` matches the words separated by spaces. `spelt_out` matches words spelled letter
    by letter."""

    markup: tuple[Phrasing, ...]
    words: tuple[Phrasing, ...]
    spelt_out: re.Pattern[str]


class _File(LexiconFile):
    fragments: dict[str, str]
    markup: dict[UnsafeReason, tuple[str, ...]]
    words: dict[UnsafeReason, tuple[str, ...]]
    spelt_out: str


@cache
def phrasings() -> Phrasings:
    """Return the patterns from `phrasings.yaml`. Raises BrokenLexicon if the file is invalid."""
    file = lexicon(__file__, _File)
    kinds = "|".join(kind for kind in ActionKind if kind not in IN_PLACE)
    fragments = {**file.fragments, "tool": f"{file.fragments['tool']}|{kinds}"}
    return Phrasings(
        markup=_phrasings(file.markup, fragments),
        words=_phrasings(file.words, fragments),
        spelt_out=expression(file.spelt_out, fragments),
    )


def _phrasings(
    listed: Mapping[UnsafeReason, tuple[str, ...]], fragments: Mapping[str, str]
) -> tuple[Phrasing, ...]:
    return tuple(
        (reason, expression(text, fragments)) for reason, texts in listed.items() for text in texts
    )
