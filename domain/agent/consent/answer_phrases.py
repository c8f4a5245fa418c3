"""Split a customer's answer into phrases, each with its function."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.agent.consent.answer_text import AnswerWord
from domain.agent.consent.answering_words import Does, answer_words, near_word
from domain.agent.plan import ActionKind, PlannedAction

_LONGEST_PHRASE: Final = 8
_LONGEST_EXPRESSION: Final = 18
_AGE_DIGITS: Final = 2
_DRAWN_OUT: Final = re.compile(r"([^\W\d])\1{2,}")


@dataclass(frozen=True, slots=True)
class AnswerPhrase:
    """A phrase of an answer. `does` is None for a number. `kind` is the action that the phrase
    mentions, if any."""

    said: str
    does: Does | None
    kind: ActionKind | None = None


def answer_phrases(
    words: tuple[AnswerWord, ...], asked: PlannedAction | None
) -> Iterator[AnswerPhrase]:
    """Split a run of words into phrases, preferring the longest known phrase at each word.

    `asked` is the action that the agent asked about. Without it, excuses and questions are not
    recognized.
    """
    known = answer_words()
    at = 0
    passive = False
    while at < len(words):
        phrase = _expression(words, at, asked) or _listed(words, at, passive=passive)
        passive = passive or phrase.said in known.passive
        at += max(phrase.said.count(" ") + 1, 1)
        yield phrase


def _expression(
    words: tuple[AnswerWord, ...], at: int, asked: PlannedAction | None
) -> AnswerPhrase | None:
    """Return the farewell, excuse, question about how long the action takes, or similar expression
    that starts at the index `at`. Return None if no such expression starts here."""
    known = answer_words()
    ahead = spelled(words[at : at + _LONGEST_EXPRESSION])
    if found := known.farewell.match(ahead):
        return AnswerPhrase(found[0], Does.AROUND)
    if asked is None:
        return None
    expressions = [
        (known.apology, Does.APOLOGY),
        (known.excuse, Does.EXCUSE),
        (known.notice, Does.NOTICE),
        (known.reason, Does.AROUND),
        (known.question, Does.QUESTION),
    ]
    if asked.kind is ActionKind.REFUND:
        expressions.append((known.question_of_it, Does.QUESTION))
    matches = ((pattern.match(ahead), does) for pattern, does in expressions)
    return next((AnswerPhrase(found[0], does) for found, does in matches if found), None)


def _listed(words: tuple[AnswerWord, ...], at: int, *, passive: bool) -> AnswerPhrase:
    known = answer_words()
    for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
        phrase = spelled(words[at : at + length])
        if phrase in known.does:
            return AnswerPhrase(phrase, known.does[phrase])
        if phrase in known.actions:
            return AnswerPhrase(phrase, Does.ACTION, known.actions[phrase])
    said = spelled(words[at : at + 1])
    if words[at].shape != "word":
        return AnswerPhrase(said, None)
    return _unlisted(said, passive=passive)


def _unlisted(said: str, *, passive: bool) -> AnswerPhrase:
    """Return the phrase for an unlisted word: the past form of an action, a misspelled word, or an
    unknown word."""
    known = answer_words()
    if said in known.participles:
        does = Does.ACTION if passive else Does.ELSE
        return AnswerPhrase(said, does, known.participles[said])
    meant = near_word(said)
    if meant is None:
        return AnswerPhrase(said, Does.ELSE)
    if meant in known.actions:
        return AnswerPhrase(said, Does.ACTION, known.actions[meant])
    return AnswerPhrase(said, known.does.get(meant, Does.ELSE))


def spelled(words: tuple[AnswerWord, ...]) -> str:
    """Return the words in the lexicon's spelling. A letter repeated three or more times is reduced
    to one: "ouiii" becomes "oui"."""
    return " ".join(_DRAWN_OUT.sub(r"\1", one.folded.replace(" ", "")) for one in words)


def is_all(pattern: re.Pattern[str], words: tuple[AnswerWord, ...]) -> bool:
    """Return True if a pattern matches the whole run of words, not just a part of it."""
    whole = len(words) <= _LONGEST_EXPRESSION and pattern.fullmatch(spelled(words))
    return bool(whole)


def turns_no_yes(words: tuple[AnswerWord, ...]) -> bool:
    """Return True if words that the lexicon does not list are only an aside, which does not change
    the answer.

    An aside contains no negation, restriction, delay or question, and no number of more than two
    digits.
    """
    known = answer_words()
    return all(
        (one.shape == "word" or (one.folded.isdigit() and len(one.folded) <= _AGE_DIGITS))
        and spelled((one,)) not in known.unsettling
        and spelled((one,)) not in known.participles
        and spelled((one,)) not in known.actions
        and spelled((one,)) not in known.no_names
        for one in words
    )


def aside_start(words: tuple[AnswerWord, ...], asked: PlannedAction) -> int | None:
    """Return the index of the word at which an aside starts in a run, or None if the run has no
    aside."""
    at, starts = 0, 0
    for phrase in answer_phrases(words, asked):
        if phrase.does is Does.ELSE:
            story = at if starts else 0
            begins = starts == 0 or words[at].folded in answer_words().tellers
            return story if begins and turns_no_yes(words[story:]) else None
        at += phrase.said.count(" ") + 1
        starts = starts if phrase.does is Does.AROUND else at
    return None
