"""Answer drafts from the knowledge base: the sentence that answers the question, then others from
its entry.

An answer is sent if its probability (`adapters/brain/answers.py`) is high, or if the entry has the
message's words. Otherwise, it is a draft for a human agent.
"""

import dataclasses
import re
from collections.abc import Sequence
from typing import Final

from adapters.brain.answers import AnswerModel, ChosenAnswer, EntrySentences
from adapters.brain.classifier import Classification
from adapters.brain.features import fold
from adapters.brain.grounded_draft import (
    ARBITRARY_STRENGTH,
    FITTING_STRENGTH,
    Asking,
    GroundedDraft,
)
from adapters.brain.relevance import Coverage, excerpt, read_question
from domain.agent.brain import BrainRequest, Citation, Language, Passage, PassageSentence
from domain.agent.intents.wanted import clauses_that_want

# A passage that covers less of the message is about a different topic.
RELEVANT: Final = 0.5
# Exponent that makes `strength` decrease faster than the coverage. One missing word out of four may
# be the product's name, so `strength` must then stay below the default threshold.
_GAP_PENALTY: Final = 1.5
# Minimum `strength` at which a passage takes precedence over a template in categories with varying
# questions.
WELL_COVERED: Final = 0.7
# An answer with a lower probability does not help the human agent who writes the reply.
LEAST_PROBABILITY: Final = 0.15
LIKELY_PROBABILITY: Final = 0.7
"""The minimum probability at which a fitting answer outvotes an entry without embeddings."""
DOUBTFUL_PROBABILITY: Final = 0.5
"""Below this probability, the draft for a human agent also contains the answer from the next
entry."""

_SHORT: Final = 500
"""Maximum number of characters of a text that is quoted in full."""

_ASKS: Final = r"(?:combien|quand|comment|quel(?:le)?s?|pourquoi|how|when|where|what|which|why)"
_TWO_QUESTIONS: Final = re.compile(
    rf"\b{_ASKS}\b[^.?!]{{0,200}}\b(?:et|and|puis|also|aussi)\b[^.?!]{{0,30}}\b{_ASKS}\b"
)
_TABLE_ROW: Final = re.compile(r"\|[^\n]{1,2000}\|")
_RULE: Final = re.compile(r"[|:\s-]{1,2000}")
"""The line between the header and the rows of a Markdown table."""
_COLON: Final[dict[Language, str]] = {"fr": " : ", "en": ": "}


def knowledge_draft(
    request: BrainRequest, seen: Classification, asking: Asking, answers: AnswerModel
) -> GroundedDraft | None:
    """Return the draft from the knowledge base in the message's language, or None."""
    passages = [one for one in request.passages if one.language == seen.language]
    found = _covering(passages, asking)
    near = [one for one in passages if one.similarity is not None]
    chosen = answers.choose(asking.text, seen.language, near)
    if chosen is not None and chosen.is_sure:
        return _chosen_draft(request, chosen, evident=True)
    if found is not None and found.strength >= WELL_COVERED and _agree(chosen, found):
        return _draft(request, found, seen, asking, answers)
    if chosen is not None and chosen.probability >= LEAST_PROBABILITY:
        return _chosen_draft(request, chosen)
    if found is None:
        return None
    draft = _draft(request, found, seen, asking, answers)
    strength = min(draft.strength, ARBITRARY_STRENGTH)
    return dataclasses.replace(draft, strength=strength, evident=False)


def _chosen_draft(
    request: BrainRequest, chosen: ChosenAnswer, *, evident: bool = False
) -> GroundedDraft:
    most = FITTING_STRENGTH if evident else ARBITRARY_STRENGTH
    best, other = chosen.best, chosen.other
    text, cited = spoken(best), [best.passage]
    if other is not None and chosen.probability < DOUBTFUL_PROBABILITY:
        title = f"{other.passage.title}{_COLON[other.passage.language]}"
        text, cited = f"{text}\n\n{title}{spoken(other)}", [best.passage, other.passage]
    return GroundedDraft(
        response=request.frame.framed(text, best.passage.language),
        citations=tuple(map(_citation, cited)),
        strength=min(chosen.probability, most),
        evident=evident,
    )


def _agree(chosen: ChosenAnswer | None, found: "_Covering") -> bool:
    """Return True if keyword search and semantic search select the same entry, and it probably
    answers the message.

    Keyword search alone suffices if semantic search finds nothing. It also suffices for an entry
    without embeddings, unless another one probably answers the message.
    """
    if chosen is None:
        return True
    if found.passage.similarity is None:
        return not (chosen.fits and chosen.probability >= LIKELY_PROBABILITY)
    return chosen.is_probable and chosen.best.passage.id == found.passage.id


@dataclasses.dataclass(frozen=True, slots=True)
class _Covering:
    """The passage that contains the largest fraction of the message's words. `body` is the part to
    quote. `strength` is its support for an answer, from 0 to 1. `asks_twice` means that the message
    asks two questions."""

    passage: Passage
    body: str
    strength: float
    asks_twice: bool


def _covering(passages: Sequence[Passage], asking: Asking) -> _Covering | None:
    question = asking.question
    if asking.covered and asking.wanted is not None:
        # The other clauses need no answer, because the intent already explains them.
        wanted = clauses_that_want(asking.text, asking.wanted.intent)
        question = dataclasses.replace(read_question(wanted), is_vague=question.is_vague)
    # For a long entry, measure only the part that would be sent.
    parts = [(one, body) for one in passages if (body := excerpt(question, one.body))]
    if not parts:
        return None
    shares = Coverage.of([(one.title, body) for one, body in parts]).shares(question)
    share, _, passage, body = max(
        (
            (float(share), one.rank, one, body)
            for share, (one, body) in zip(shares, parts, strict=True)
        ),
        key=lambda found: found[:2],
    )
    if share < RELEVANT:
        return None
    # One entry seldom answers two questions. Without this check, a missing answer would not be
    # noticed.
    twice = _TWO_QUESTIONS.search(fold(asking.text)) is not None
    most = ARBITRARY_STRENGTH if twice else FITTING_STRENGTH
    return _Covering(passage, body, min(share**_GAP_PENALTY, most), twice)


def _draft(
    request: BrainRequest,
    found: _Covering,
    seen: Classification,
    asking: Asking,
    answers: AnswerModel,
) -> GroundedDraft:
    passage, text = found.passage, found.body
    if len(text) > _SHORT:
        chosen = answers.choose(asking.text, seen.language, [passage])
        text = spoken(chosen.best) if chosen else text
    return GroundedDraft(
        response=request.frame.framed(text, passage.language),
        citations=(_citation(passage),),
        strength=found.strength,
        evident=asking.covered and asking.wanted is not None and not found.asks_twice,
    )


def spoken(answer: EntrySentences) -> str:
    """Return the answer as text: the best sentence first, then the other sentences in their
    original order."""
    language = answer.passage.language
    first, *others = answer.sentences
    order = {id(sentence): place for place, sentence in enumerate(answer.passage.sentences)}
    others.sort(key=lambda one: order.get(id(one), 0))
    lines = [_line(first, language)]
    heading = first.heading
    for sentence in others:
        if _RULE.fullmatch(sentence.text):
            continue
        is_row = _TABLE_ROW.fullmatch(sentence.text) is not None
        if is_row or (sentence.heading != heading and sentence.heading):
            lines.append(_line(sentence, language))
        else:
            lines.append(sentence.text)
        heading = sentence.heading
    return _joined(lines)


def _line(sentence: PassageSentence, language: Language) -> str:
    """Return the sentence's text. A list item is preceded by its heading. Each cell of a table row
    is preceded by the heading of its column."""
    text, heading = sentence.text, sentence.heading.rstrip(" :")
    if _TABLE_ROW.fullmatch(text):
        return _row(text, heading, language)
    if _TABLE_ROW.fullmatch(heading):
        return text
    is_whole = text[:1].isupper() and text[-1:] in ".!?…"
    return text if is_whole or not heading else f"{heading}{_COLON[language]}{text}"


def _row(text: str, heading: str, language: Language) -> str:
    """Return a Markdown table row in plain words, such as "Ribble: Width 204 cm, Weight 56 kg".

    A heading that is not a row with as many cells is not the row's header, so the cells stand
    alone.
    """
    name, *cells = _cells(text)
    header = _cells(heading)[1:] if _TABLE_ROW.fullmatch(heading) else []
    if len(header) != len(cells):
        header = [""] * len(cells)
    pairs = zip(header, cells, strict=True)
    labelled = (f"{column} {cell}".strip() for column, cell in pairs if cell)
    return _COLON[language].join(filter(None, (name, ", ".join(labelled))))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _joined(lines: Sequence[str]) -> str:
    """Return the first line, followed by the other lines. The other lines form a paragraph, or a
    list if one of them is not a complete sentence."""
    first, *others = lines
    if not others:
        return first
    if all(line[-1:] in ".!?…" for line in others):
        return f"{first}\n\n{' '.join(others)}"
    return "\n".join((first, "", *(f"- {line}" for line in others)))


def _citation(passage: Passage) -> Citation:
    return Citation(kind="knowledge", id=passage.id, title=passage.title)
