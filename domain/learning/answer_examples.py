"""Examples of answers for a language model: earlier questions and what human agents sent instead
of the agent's draft."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import CorrectedAnswer
from domain.agent.grounding.facts import FactKind, facts
from domain.cases.anonymized import MADE_UP_NAMES, MADE_UP_PLACES
from domain.core.text import fold

MAX_ANSWER_EXAMPLES: Final = 3
QUESTION_CHARS: Final = 600
ANSWER_CHARS: Final = 1_200
_READ_CHARS: Final = 2_000
_HIDDEN: Final = "…"
_SPACES: Final = re.compile(r"(\s+)")
# A word with a digit is an order number, an amount, a date or a postal code. Facts for the customer
# come from sources only, so an example needs none.
_PRIVATE: Final = re.compile(r"\d|@|://|www\.|[€$£%]")
_CURRENCIES: Final = frozenset(
    {"euro", "euros", "eur", "usd", "gbp", "dollar", "dollars", "pound", "pounds"}
)
_NAMES: Final = re.compile(rf"\b(?:{'|'.join(MADE_UP_NAMES)})\b")
_RUNS: Final = re.compile(rf"{_HIDDEN}(?:[\s,.-]{{0,9}}{_HIDDEN})+")
_WORD: Final = re.compile(r"[a-z]{3,}")
# Number of letters that two forms of a word share.
_STEM: Final = 6
_STATES_MONEY: Final = frozenset({FactKind.MONEY, FactKind.LINK})


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """The question of a stored example. `distance` is the cosine distance to the message, or None
    without an embedding."""

    id: str
    text: str
    distance: float | None = None


def nearest_examples(message: str, questions: Sequence[ExampleQuestion]) -> tuple[str, ...]:
    """Return the ids of the nearest questions, nearest first, MAX_ANSWER_EXAMPLES at most.

    Questions with a distance come first. Other questions are compared by their words, and those
    that share none are left out.
    """
    known = [one for one in questions if one.distance is not None]
    near = [one.id for one in sorted(known, key=lambda one: (one.distance or 0.0, one.id))]
    by_words = _by_words(message, [one for one in questions if one.distance is None])
    return (*near, *by_words)[:MAX_ANSWER_EXAMPLES]


def impersonal_example(question: str, answer: str) -> CorrectedAnswer | None:
    """Return an example without names, numbers, amounts, links and addresses. Return None if
    nothing is left of a text, or if it still states an amount.

    The texts are those of a labelled example, in which personal data is already replaced.
    """
    said, sent = _impersonal(question)[:QUESTION_CHARS], _impersonal(answer)[:ANSWER_CHARS]
    if not (_WORD.search(fold(said)) and _WORD.search(fold(sent))):
        return None
    if any(fact.kind in _STATES_MONEY for fact in (*facts(said), *facts(sent))):
        return None
    return CorrectedAnswer(question=said, answer=sent)


def _impersonal(text: str) -> str:
    words, follows = list[str](), False
    text = text[:_READ_CHARS]
    for place in MADE_UP_PLACES:
        text = text.replace(place, _HIDDEN)
    for word in _SPACES.split(text):
        if word.isspace():
            words.append(word)
            continue
        follows = bool(_PRIVATE.search(word)) or (
            follows and fold(word).strip(".,;:!?") in _CURRENCIES
        )
        words.append(_hidden(word) if follows else word)
    return _RUNS.sub(_HIDDEN, _NAMES.sub(_HIDDEN, "".join(words))).strip()


def _hidden(word: str) -> str:
    return f"{_HIDDEN}{word[-1] if word[-1] in '.,;:!?' else ''}"


def _by_words(message: str, questions: Sequence[ExampleQuestion]) -> list[str]:
    asked = _stems(message)
    written = {one.id: _stems(one.text) for one in questions}
    among = Counter(stem for stems in written.values() for stem in stems)
    scores = {
        example_id: sum(math.log(1 + len(written) / among[stem]) for stem in stems & asked)
        / math.sqrt(len(stems) or 1)
        for example_id, stems in written.items()
    }
    found = [example_id for example_id, score in scores.items() if score > 0]
    return sorted(found, key=lambda one: (-scores[one], one))


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _WORD.findall(fold(text)) if len(word) > 3)
