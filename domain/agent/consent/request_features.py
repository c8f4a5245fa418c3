"""What the detector of requests counts around each word that names an action.

The model was trained on exactly these counts: a change here, in `request_sentences.py` or in the
words needs `python -m training.train_requests`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from domain.agent.consent.request_sentences import ASKS, Part, Sentence, sentences
from domain.agent.consent.request_words import NUMBER
from domain.agent.plan import ActionKind

REQUEST_BUCKETS: Final = 2**15
MOST_MENTIONS: Final = 16
_WINDOW: Final = 4
_NEAR_ROLES: Final = 12
_NEAR_WORDS: Final = 10
_ROLES_BEFORE: Final = 25
_WORDS_BEFORE: Final = 8
_BEHIND: Final = 25
_WORDS_BEHIND: Final = 12
_NEGATION: Final = "negation"
_WHOM: Final = frozenset({"me", "pro", "third"})
_CLAUSE_ENDS: Final = frozenset(",;:.!…?\n()–—-/") | {"but", "also_kind", "or", "so", "because"}


@dataclass(frozen=True, slots=True)
class Mention:
    """A word that names an action. `start` and `end`: of its clause in the text, with the clause
    before it that names the order if it names none. `forbidden`: a negation stands at it: "do not
    refund". `buckets`: what is counted around it."""

    kind: ActionKind
    start: int
    end: int
    forbidden: bool
    buckets: tuple[int, ...]


def mentions(text: str) -> list[Mention]:
    """Return the mentions of actions in a message, the first `MOST_MENTIONS`. Never raises."""
    said = sentences(text)
    named = [
        (at, of, part.kind)
        for at, sentence in enumerate(said)
        for of, part in enumerate(sentence)
        if part.kind
    ]
    alone = len(named) == 1
    return [_mention(said, at, of, kind, alone=alone) for at, of, kind in named[:MOST_MENTIONS]]


def _mention(said: list[Sentence], at: int, of: int, kind: ActionKind, *, alone: bool) -> Mention:
    sentence = said[at]
    counted = {
        *_near(sentence, of, kind),
        *_sentence(sentence, of),
        *_around(said, at),
        f"alone:{alone}",
    }
    buckets = {crc32(name.encode()) % REQUEST_BUCKETS for name in counted}
    start, end = _clause(sentence, of)
    return Mention(kind, start, end, _is_forbidden(sentence, of), tuple(sorted(buckets)))


def _is_forbidden(sentence: Sentence, of: int) -> bool:
    roles = [part.role for part in sentence]
    before = roles[max(0, of - 2) : of]
    whom_between = len(before) == 2 and before[0] == _NEGATION and before[1] in _WHOM
    return before[-1:] == [_NEGATION] or whom_between or roles[of + 1 : of + 2] == [_NEGATION]


def _near(sentence: Sentence, of: int, kind: ActionKind) -> Iterator[str]:
    """The roles and words within a few places, by their places."""
    form = f"{sentence[of].role}:{kind}"
    yield form
    before, behind = sentence[max(0, of - _WINDOW) : of], sentence[of + 1 : of + 1 + _WINDOW]
    edge = ("<",) * (_WINDOW - len(before)), (">",) * (_WINDOW - len(behind))
    roles = (*edge[0], *(p.role for p in before), form, *(p.role for p in behind), *edge[1])
    words = (*edge[0], *(p.said for p in before), sentence[of].said, *(p.said for p in behind))
    yield from _placed("t", roles, 5)
    yield from _placed("n", (*words, *edge[1])[1:-1], 3)


def _sentence(sentence: Sentence, of: int) -> Iterator[str]:
    """The roles and words on either side, and how the sentence opens and ends."""
    left, right = sentence[:of], sentence[of + 1 :]
    yield from _grams("lt", [part.role for part in left[-_NEAR_ROLES:]], 3)
    yield from _grams("rt", [part.role for part in right[:_NEAR_ROLES]], 3)
    yield from _grams("lw", [part.said for part in left[-_NEAR_WORDS:]], 2)
    yield from _grams("rw", [part.said for part in right[:_NEAR_WORDS]], 2)
    asks = sentence[-1].role == ASKS
    opening = "_".join(part.role for part in sentence[:2])
    yield from (f"o:{opening}", f"o:{sentence[0].role}", f"q:{asks}", f"q:{asks}:{opening}")
    yield "o:" + "_".join(part.said for part in sentence[:2])
    before = ["<", "<", *(part.role for part in left)][-2:]
    yield from (f"q:{asks}:{before[1]}", f"q:{asks}:{'_'.join(before)}")
    yield f"len:{min(len(sentence), 16) // 4}"


def _around(said: list[Sentence], at: int) -> Iterator[str]:
    """What the two sentences before and behind say."""
    before = [part for one in said[max(0, at - 2) : at] for part in one]
    behind = [part for one in said[at + 1 : at + 3] for part in one]
    yield from _grams("bt", [part.role for part in before[-_ROLES_BEFORE:]], 1)
    yield from _grams("bw", [part.said for part in before[-_WORDS_BEFORE:]], 1)
    yield from _grams("at", [part.role for part in behind[:_BEHIND]], 2)
    yield from _grams("aw", [part.said for part in behind[:_WORDS_BEHIND]], 2)
    yield f"e:{at == 0}:{at == len(said) - 1}"


def _placed(side: str, items: Sequence[str], longest: int) -> Iterator[str]:
    for at in range(len(items)):
        for length in range(1, min(longest, len(items) - at) + 1):
            yield f"{side}{at}:{'_'.join(items[at : at + length])}"


def _grams(side: str, items: Sequence[str], longest: int) -> Iterator[str]:
    for at in range(len(items)):
        for length in range(1, min(longest, len(items) - at) + 1):
            yield f"{side}:{'_'.join(items[at : at + length])}"


def _clause(sentence: Sentence, of: int) -> tuple[int, int]:
    """Where the clause of a mention begins and ends."""
    clauses: list[list[Part]] = [[]]
    mine = 0
    for at, part in enumerate(sentence):
        if part.role in _CLAUSE_ENDS:
            clauses.append([])
            continue
        clauses[-1].append(part)
        mine = len(clauses) - 1 if at == of else mine
    first = mine
    if not _names_order(clauses[mine]):
        first = next((at for at in range(mine, -1, -1) if _names_order(clauses[at])), mine)
    return clauses[first][0].start, clauses[mine][-1].end


def _names_order(clause: list[Part]) -> bool:
    return any(part.role == NUMBER for part in clause)
