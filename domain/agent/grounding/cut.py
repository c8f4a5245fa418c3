"""Remove the sentences of an answer that have no source, if the remaining text makes sense on its
own.

Only a sentence that adds a fact is removed. A sentence that limits or contradicts another one is
kept. Without it, the answer would promise more.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.grounding.assertion import SENTENCE_END, asserts, is_question
from domain.agent.guard_finding import FindingReason, FindingState, GuardFinding
from domain.agent.size_limits import READ_CHARS
from domain.core.effort import spend
from domain.core.text import fold

_LANGUAGES: Final = frozenset({"fr", "en"})
# Words that limit, condition, deny or contrast. A sentence with one of them may be the limit of
# another sentence.
_LIMITS: Final = re.compile(
    r"\b(?:only|just|unless|except\w*|but|however|though|although|yet|still|instead|otherwise"
    r"|not|no|never|none|neither|nor|without|if|when|once|provided|must|need|needs|required?"
    r"|within|until|before|after|by|at (?:least|most)|up to|minimum|maximum|limit\w*|excluding"
    r"|seulement|uniquement|juste|sauf|hormis|excepte\w*|mais|cependant|toutefois|pourtant"
    r"|neanmoins|sinon|ne|n|pas|jamais|aucune?|ni|sans|si|lorsque|quand|des que|condition\w*"
    r"|doit|devez|doivent|faut|sous|jusqu|avant|apres|dans les|au (?:moins|plus)|minimum|maximum"
    r"|hors)\b|n t\b"
)
# First words of a sentence that refers to the sentence before it.
_REFERS: Final = re.compile(
    r"(?:it|its|this|that|these|those|they|their|them|he|she|his|her|there|then|so|therefore|thus"
    r"|also|and|or|but|however|otherwise|instead|moreover|besides|in that case|in this case"
    r"|after that|as a result|for (?:this|that)|both|such|the (?:latter|former|same)"
    r"|il|ils|elle|elles|celui|celle|ceux|cela|ca|ce|cet|cette|ces|c|y|en|donc|alors|ainsi|puis"
    r"|ensuite|aussi|et|ou|mais|cependant|toutefois|sinon|de plus|en outre|dans ce cas|pour cela"
    r"|par consequent|apres cela|son|sa|ses|leurs?|le meme|la meme|les memes)\b"
)
# A step or an item of a list. Removing an item would change the meaning of the list.
_ITEM: Final = re.compile(r"[-*•–—]|\(?\d{1,2}[.)]|[a-z][.)]\s")
_MARKS: Final = re.compile(r"[*_\"'’«»“”()\s]+")
_EMPTY_LINES: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")

Check = Callable[[str], tuple[GuardFinding, ...]]


@dataclass(frozen=True, slots=True)
class CutAnswer:
    """An answer without its rejected sentences. `findings` are the reasons, with the state
    `cut`."""

    text: str
    findings: tuple[GuardFinding, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence with its place in the text. `findings`: what the guards reject in it."""

    start: int
    end: int
    text: str
    findings: tuple[GuardFinding, ...]


def cut_answer(text: str, language: str, brand: str, check: Check) -> CutAnswer | None:
    """Return the answer without the sentences that `check` rejects, or None if a human must decide.

    The rest stands by itself if all of these conditions hold:

    - the language is French or English
    - each rejected sentence only adds a fact that has no source
    - the first statement stays, and at least half of all statements stay
    - no rejected sentence is a part of a list, and no remaining sentence refers to it
    - `check` accepts the rest
    """
    if language not in _LANGUAGES or len(text) > READ_CHARS:
        return None
    spend(len(text))
    parts = _parts(text, check)
    cut = [place for place, part in enumerate(parts) if part.findings]
    if not cut or not all(_may_go(parts, place) for place in cut):
        return None
    stating = [place for place, part in enumerate(parts) if asserts(part.text, brand)]
    kept = [place for place in stating if not parts[place].findings]
    if not kept or kept[0] != stating[0] or 2 * len(kept) < len(stating):
        return None
    rest = _without(text, [parts[place] for place in cut])
    if check(rest):
        return None
    found = dict.fromkeys(one for place in cut for one in parts[place].findings)
    return CutAnswer(rest, tuple(one.ended(FindingState.CUT) for one in found))


def _parts(text: str, check: Check) -> list[_Part]:
    found: list[_Part] = []
    start = 0
    for end, after in (*(match.span() for match in SENTENCE_END.finditer(text)), (len(text),) * 2):
        sentence = text[start:end]
        if sentence.strip():
            found.append(_Part(start, after, sentence, check(sentence)))
        start = after
    return found


def _may_go(parts: Sequence[_Part], place: int) -> bool:
    """Return True if a sentence may be removed without a change to the meaning of its neighbours.

    The sentence before it must not introduce it, and the sentence after it must not refer to it.
    """
    part = parts[place]
    if any(one.reason is not FindingReason.NO_SOURCE for one in part.findings):
        return False
    if (
        is_question(part.text)
        or _ITEM.match(part.text.lstrip())
        or _LIMITS.search(_plain(part.text))
    ):
        return False
    if place and parts[place - 1].text.rstrip().endswith((":", ";", ",")):
        return False
    if part.text.rstrip().endswith((":", ";", ",")):
        return False
    after = next((one for one in parts[place + 1 :] if not one.findings), None)
    return after is None or not (
        _ITEM.match(after.text.lstrip()) or _REFERS.match(_plain(after.text))
    )


def _plain(sentence: str) -> str:
    return _MARKS.sub(" ", fold(sentence)).strip()


def _without(text: str, cut: Sequence[_Part]) -> str:
    rest, end = "", 0
    for part in cut:
        rest += text[end : part.start]
        gap = text[part.start : part.end]
        # A sentence at the end of a line leaves its line break.
        rest = rest.rstrip(" \t") + "\n" * gap.count("\n") if "\n" in gap else rest
        end = part.end
    return _EMPTY_LINES.sub("\n\n", rest + text[end:]).strip()
