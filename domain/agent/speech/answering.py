"""The answer to "Shall we …? Reply yes.": yes, no, another order, or anything else.

A positive grammar, as for requests: every word of the answer must be one that answers. One
word left over makes it something else, and the question counts as dropped.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.speech.answering_words import Does, answer_words
from domain.agent.speech.confirmation import Assent, Confirmation
from domain.agent.speech.reading import spoken_request
from domain.agent.speech.request import Standing
from domain.agent.speech.utterance import Sentence, Word, utterance
from domain.agent.speech.vocabulary import Meaning, SpeechRole, vocabulary

_READ_WORDS: Final = 80
_LONGEST_PHRASE: Final = 6
_LONGEST_FAREWELL: Final = 14
_LONGEST_NAME: Final = 3
_DRAWN_OUT: Final = re.compile(r"([^\W\d])\1{2,}")
_SAYS_LESS: Final = frozenset({SpeechRole.PARTICIPLE, SpeechRole.GERUND, SpeechRole.SUBJUNCTIVE})
"""Forms of an action that tell of it as often as they ask for it: "yes, refunded"."""
_NODS: Final = frozenset("👍👌✅🆗💯🙆✔")
_HEAD_SHAKES: Final = frozenset("👎❌🚫🙅✖⛔")
_SIGNS: Final = "".join(_NODS) + "🙏😊🙂😀😃😄😁☺❤♥🎉👏🤝💪😍🥰🤗😘🏻🏼🏽🏾🏿♂♀\ufe0f\u200d"
_PLAIN: Final = re.compile(
    rf"(?:[\w\s.,!;:()#№&*^°…–—{_SIGNS}-]|(?<=[^\W\d_])['’ʼ`´](?=[^\W\d_]))*"
)
"""No sign that could mean what no word says."""
_NAMED_ORDER: Final = frozenset({"order", "commande", "cmd", "cde"})
_PARTICLES: Final = frozenset({"de", "du", "la", "le", "van", "von", "der"})
_UNFINISHED: Final = frozenset({"and", "et", "for", "pour", "of", "de", "with", "on", "a", "to"})
_TRAILS_OFF: Final = re.compile(r"(?:\.\.|…)\W*\Z")


@dataclass(slots=True)
class _Answer:
    """What the words of an answer do, in order. `another`: the other orders that are named."""

    does: list[Does] = field(default_factory=list)
    kinds: set[ActionKind] = field(default_factory=set)
    another: list[str] = field(default_factory=list)
    asks: bool = False
    refuses_asked: bool = False

    def has(self, *does: Does) -> bool:
        return any(one in does for one in self.does)

    @property
    def first(self) -> Does | None:
        return next((one for one in self.does if one is not Does.AROUND), None)


def read_confirmation(
    text: str, numbers: tuple[str, ...], asked: str, kind: ActionKind | None = None
) -> Confirmation:
    """What the customer answers. Never raises.

    `numbers`: of the orders that the message names. `asked`: of the order that the question names.
    `kind`: what it asks to do; None where a yes that names another action need not be told apart.
    """
    answer = _read(text, numbers, asked)
    shown = _shown(text)
    if answer.asks or (kind and answer.kinds - {kind}):
        return _confirmation(Assent.OTHER)
    if shown is not None and not answer.does:
        return _confirmation(shown if shown is Assent.NO or _plain(text) else Assent.OTHER)
    if answer.another or answer.has(Does.INSTEAD):
        return _correction(answer)
    if answer.has(Does.DENIAL):
        mixed = shown not in {None, Assent.NO}
        return _confirmation(Assent.OTHER if mixed else _denial(text, answer))
    mixed = shown not in {None, Assent.YES}
    return _confirmation(Assent.OTHER if mixed else _assent(text, answer, kind))


def _confirmation(assent: Assent) -> Confirmation:
    return Confirmation(assent=assent)


def _correction(answer: _Answer) -> Confirmation:
    """One other order, or "the other one"; not a question beside it, nor a second matter."""
    if answer.has(Does.ELSE) or len(answer.another) > 1:
        return _confirmation(Assent.OTHER)
    if answer.has(Does.ASKED) and not answer.refuses_asked:
        return _confirmation(Assent.OTHER)
    number = answer.another[0] if answer.another else None
    return Confirmation(assent=Assent.CORRECTION, number=number)


def _assent(text: str, answer: _Answer, kind: ActionKind | None) -> Assent:
    """A yes, every word of which belongs to it, also with the request again, as plain as at first.

    The request alone is no yes: it may be the same message, sent twice.
    """
    if answer.has(Does.CORRECTING, Does.ELSE) or not (answer.has(Does.ASSENT) and _plain(text)):
        return Assent.OTHER
    if not answer.has(Does.ASKING):
        return Assent.YES
    again = spoken_request(text)
    same = again.standing is Standing.PLAIN and kind in {None, again.kind}
    return Assent.YES if same else Assent.OTHER


def _plain(text: str) -> bool:
    composed = unicodedata.normalize("NFC", text)
    return _PLAIN.fullmatch(composed) is not None and not _TRAILS_OFF.search(composed)


def _denial(text: str, answer: _Answer) -> Assent:
    if answer.first is not Does.DENIAL or answer.has(Does.ASSENT):
        return Assent.OTHER
    if answer.has(Does.ACTION, Does.ASKING) and spoken_request(text).standing is not Standing.NONE:
        return Assent.OTHER
    return Assent.NO


def _shown(text: str) -> Assent | None:
    """A nod or a shake of the head, in a sign; `other` for both."""
    nods, shakes = (any(sign in text for sign in signs) for signs in (_NODS, _HEAD_SHAKES))
    if nods and shakes:
        return Assent.OTHER
    return Assent.YES if nods else Assent.NO if shakes else None


def _read(text: str, numbers: tuple[str, ...], asked: str) -> _Answer:
    said = utterance(text)
    answer = _Answer(asks="?" in text or any(one.asks for one in said.sentences))
    sentences = [one for one in said.sentences if not _is_device(one)]
    runs = [run.words for sentence in sentences for run in sentence.runs]
    if said.quoted or not said.whole or sum(map(len, runs)) > _READ_WORDS:
        answer.does.append(Does.ELSE)
    if _is_signed(text, said.sentences, runs):
        runs.pop()
    known = {_same(number): number for number in numbers}
    left = _READ_WORDS
    for words in runs:
        _take(answer, words[:left], known, asked)
        left = max(left - len(words), 0)
    return answer


def _is_device(sentence: Sentence) -> bool:
    return len(sentence.runs) == 1 and _is_all(answer_words().device, sentence.runs[0].words)


def _is_signed(text: str, sentences: tuple[Sentence, ...], runs: list[tuple[Word, ...]]) -> bool:
    """Whether the text ends with a name: any behind "Regards,", else a given name on its line or
    behind "thanks,"."""
    if len(runs) < 2:
        return False
    before, name = runs[-2], runs[-1]
    if len(text[name[0].start : name[-1].end].split()) > _LONGEST_NAME:
        return False
    starts = [run.words[0].start for one in sentences for run in one.runs]
    end = min((start for start in starts if start > name[0].start), default=len(text))
    gap = text[before[-1].end : name[0].start]
    if text[name[-1].end : end].strip(" \n\r\t-") not in {"", "."}:
        return False
    told = (name[0], *(one for one in name[1:-1] if one.folded not in _PARTICLES), name[-1])
    if any(one.shape != "word" or _means_something(one.folded) for one in told):
        return False
    if (
        _is_all(answer_words().sign_off, before)
        and gap.strip() in {"", ",", "."}
        and gap.strip(" .")
    ):
        return True
    thanks = all(does is Does.AROUND for _, does, _ in _phrases(before))
    return (thanks or "\n" in gap) and _is_given(text, name)


def _is_given(text: str, name: tuple[Word, ...]) -> bool:
    return name[0].folded in answer_words().names and text[name[0].start].isupper()


def _take(answer: _Answer, words: tuple[Word, ...], numbers: Mapping[str, str], asked: str) -> None:
    said_before, said_last, takes, ordered, acts = "", "", False, False, False
    for phrase, does, kind in _phrases(words):
        if does is None and _same(phrase) == _same(asked):
            answer.does.append(Does.ASKED)
            answer.refuses_asked |= said_before in {"not", "pas", "not the", "pas la"}
        elif does is None and _same(phrase) in numbers:
            answer.does.append(Does.ANOTHER)
            if numbers[_same(phrase)] not in answer.another:
                answer.another.append(numbers[_same(phrase)])
        else:
            answer.does.append(does or Does.ELSE)
        if kind:
            answer.kinds.add(kind)
            acts = True
        parts, said_last = set(phrase.split()), phrase
        takes |= bool(parts & answer_words().taking)
        ordered |= bool(parts & _NAMED_ORDER)
        if phrase not in {"la", "le", "the", "order", "commande", "la commande", "the order"}:
            said_before = phrase
    if (takes and ordered and not acts) or said_last in _UNFINISHED:
        answer.does.append(Does.ELSE)


def _phrases(words: tuple[Word, ...]) -> Iterator[tuple[str, Does | None, ActionKind | None]]:
    """Each word or phrase with what it does; None for a number."""
    known = answer_words().does
    at = 0
    while at < len(words):
        word = words[at]
        farewell = answer_words().farewell.match(_spelled(words[at : at + _LONGEST_FAREWELL]))
        if farewell:
            yield farewell[0], Does.AROUND, None
            at += farewell[0].count(" ") + 1
            continue
        taken, found = 1, None
        for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            phrase = _spelled(words[at : at + length])
            if phrase in known:
                taken, found = length, known[phrase]
                break
        phrase = _spelled(words[at : at + taken])
        action = _action(word) if found in {None, Does.AROUND, Does.ASKING} else None
        if action:
            says_less = action.role in _SAYS_LESS
            yield word.folded, Does.ASKING if says_less else Does.ACTION, action.kind
            taken = 1
        elif found:
            yield phrase, found, None
        else:
            yield phrase, None if word.shape == "number" else Does.ELSE, None
        at += taken


def _action(word: Word) -> Meaning | None:
    for known in (vocabulary("fr"), vocabulary("en")):
        meaning = known.of(word.folded)
        if meaning.kind and meaning.role is not SpeechRole.WEAK:
            return meaning
    return None


def _spelled(words: tuple[Word, ...]) -> str:
    """ "Ouiiii" is "oui": a letter that comes three times is one."""
    return " ".join(_DRAWN_OUT.sub(r"\1", one.folded) for one in words)


def _is_all(pattern: re.Pattern[str], words: tuple[Word, ...]) -> bool:
    whole = len(words) <= _LONGEST_FAREWELL and pattern.fullmatch(_spelled(words))
    return bool(whole)


def _means_something(word: str) -> bool:
    return (
        word in answer_words().does
        or word in answer_words().no_names
        or any(word in vocabulary(language).phrases for language in ("fr", "en"))
    )


def _same(number: str) -> str:
    return number.strip("# ").casefold()
