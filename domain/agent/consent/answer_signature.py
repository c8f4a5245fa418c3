"""Detect the signature below an answer: the sender's name, and any line added by a device."""

from typing import Final

from domain.agent.consent.answer_phrases import answer_phrases, is_all
from domain.agent.consent.answer_text import AnswerRun, AnswerText, AnswerWord
from domain.agent.consent.answering_words import Does, answer_words

_LONGEST_NAME: Final = 3
_PARTICLES: Final = frozenset({"de", "du", "la", "le", "van", "von", "der"})


def is_device(run: AnswerRun) -> bool:
    """Return True if a run is a whole line that a device adds, such as "Sent from my iPhone"."""
    return run.opens and run.closes and is_all(answer_words().device, run.words)


def signed_runs(text: str, said: AnswerText, runs: list[AnswerRun]) -> int:
    """Return the number of runs at the end of the answer that form the sender's name.

    After "Regards,", any name is accepted. On its own line or after "thanks,", only a listed given
    name is accepted.
    """
    in_brackets = len(runs) > 2 and is_all(answer_words().relation, runs[-1].words)
    count = 2 if in_brackets else 1
    if len(runs) <= count:
        return 0
    before, name = runs[-count - 1], runs[-count].words
    behind = min(
        (run.words[0].start for run in said.runs if run.words[0].start > name[0].start),
        default=len(text),
    )
    gap = text[before.words[-1].end : name[0].start]
    ends_there = text[name[-1].end : behind].strip(" \n\r\t-(") in {"", "."}
    if not (ends_there and _could_be_name(text, name)):
        return 0
    marked = gap.strip() in {"", ",", "."} and bool(gap.strip(" ."))
    if marked and is_all(answer_words().sign_off, before.words):
        return count
    thanks = all(one.does is Does.AROUND for one in answer_phrases(before.words, None))
    return count if (thanks or "\n" in gap) and _is_given(text, name) else 0


def _could_be_name(text: str, name: tuple[AnswerWord, ...]) -> bool:
    bare = (name[0], *(one for one in name[1:-1] if one.folded not in _PARTICLES), name[-1])
    capital = len(bare) == 1 or all(text[one.start].isupper() for one in bare)
    short = len(text[name[0].start : name[-1].end].split()) <= _LONGEST_NAME
    spelled = [one for one in bare if one.end - one.start > 1]
    means = any(one.shape != "word" or _means_something(one.folded) for one in spelled)
    return capital and short and bool(spelled) and not means


def _is_given(text: str, name: tuple[AnswerWord, ...]) -> bool:
    words = answer_words()
    titled = len(name) > 1 and name[0].folded in words.titles
    return (titled or name[0].folded in words.names) and text[name[0].start].isupper()


def _means_something(word: str) -> bool:
    known = answer_words()
    listed = word in known.does or word in known.actions or word in known.participles
    return listed or word in known.no_names or word in known.single_words
