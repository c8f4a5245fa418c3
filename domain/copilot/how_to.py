"""Short instructions for members: how to do a task in the dashboard, in French and English."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from domain.copilot.answer import CitedKind
from domain.copilot.words import Tongue, plain_words
from domain.core.lexicon import LexiconFile, lexicon


class _Guide(LexiconFile):
    """One task. `cues` have the same format as in `question_kind.yaml`. `page`: the page where the
    task begins, if every role may open it."""

    title: dict[Tongue, str]
    cues: tuple[str, ...]
    page: CitedKind | None = None
    fr: str
    en: str


class _File(LexiconFile):
    guides: dict[str, _Guide]


@dataclass(frozen=True, slots=True)
class HowTo:
    """The instructions for one task, in one language."""

    name: str
    title: str
    text: str
    page: CitedKind | None


@cache
def _guides() -> dict[str, _Guide]:
    return lexicon(__file__, _File).guides


def all_how_to(tongue: Tongue) -> list[HowTo]:
    """Return the instructions for all tasks."""
    return [_in(tongue, name) for name in _guides()]


def how_to(question: str, tongue: Tongue) -> HowTo | None:
    """Return the instructions for the task that a question names, or None. If several tasks match,
    the one with the most specific cue is returned."""
    words = plain_words(question)
    found = {
        name: max((_parts(words, cue) for cue in guide.cues), default=0)
        for name, guide in _guides().items()
    }
    best = max(found, key=lambda name: found[name])
    if not found[best]:
        return None
    return _in(tongue, best)


def _in(tongue: Tongue, name: str) -> HowTo:
    guide = _guides()[name]
    text = guide.fr if tongue == "fr" else guide.en
    return HowTo(name, guide.title[tongue], " ".join(text.split()), guide.page)


def _parts(words: Sequence[str], cue: str) -> int:
    """Return the number of parts of a cue if each part begins a word of the question, else 0."""
    parts = cue.split()
    return len(parts) if all(_begins(words, part) for part in parts) else 0


def _begins(words: Sequence[str], part: str) -> bool:
    return any(
        word == one[:-1] if one.endswith("=") else word.startswith(one)
        for word in words
        for one in part.split("|")
    )
