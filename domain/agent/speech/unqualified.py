"""Decide whether the agent may execute a request without asking the customer first.

Extra words may change a request ("to my new card", "but the mug", "tomorrow"), and no list of them
is complete. The agent therefore asks unless each word is part of the request or on a list of
harmless words.
"""

import re
from dataclasses import dataclass
from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.size_limits import READ_CHARS
from domain.agent.speech.harmless import Tokens, caution_words, tokens_of
from domain.agent.speech.vocabulary import OPPOSING, SpeechRole, vocabulary
from domain.core.text import UnicodeForm, fold, normalized

_ABBREVIATED: Final = re.compile(
    r"(?:^|[\W\d_])(?:[a-z]|no|nr|num|ref|cde|cmd|mr|mme|ms|dr|cf|ex)$"
)
_ENDING: Final = re.compile(r"(?<![.!?…])[.!?…]+(?=\s|$)|\n\s*")
_MARKS: Final = re.compile(r"[.!?]*")
_SENTENCE_MARKS: Final = frozenset(",.!?'’ʼ`´-#°º№🙏")
_CLOSING_MARKS: Final = frozenset(",.!'’ʼ`´-🙏🙂😊")
_BROKEN_OFF: Final = re.compile(r"\.\.|\d[.,]\s?\d|[.,!?]\w|(?<!\w)-|-(?!\w)")
_REPORTED: Final = re.compile(r"[«»“”„\"]|^[ \t]*>", re.MULTILINE)
_DAY: Final = re.compile(r"-\d\d?-\d\d?")
_ORDER: Final = re.compile(r"(?:([a-z]{1,6})-?)?(\d{3,})((?:-\d+)*)")
_NAME: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LONGEST_NAME: Final = 4
# Forms that are a request only next to a requesting word. For example, "Remboursement 7802" alone
# is a heading.
_NO_ASKING: Final = frozenset({SpeechRole.NOUN, SpeechRole.PARTICIPLE, SpeechRole.GERUND})


@dataclass(frozen=True, slots=True)
class _Known:
    """A sentence of known words only, with its order numbers and the actions that it mentions.
    `asks` means that the sentence requests something."""

    numbers: frozenset[str]
    kinds: frozenset[ActionKind]
    asks: bool
    names_order: bool


def is_unqualified(text: str, quote: str) -> bool:
    """Return True if the request that `quote` expresses in `text` is unqualified. Never raises.

    Its sentence must contain only known words and no limit, time, means or other order. An overlong
    text is never unqualified.
    """
    start = text.find(quote) if quote.strip() and len(text) <= READ_CHARS else -1
    if start < 0:
        return False
    ends = _ends(text)
    first = max((end for _, end in ends if end <= start), default=0)
    last = min((at for at, _ in ends if at >= start + len(quote.rstrip())), default=len(text))
    mark = _MARKS.match(text, last)
    last = mark.end() if mark else last
    asked = _known(text[first:last])
    if asked is None or not asked.asks:
        return False
    before, behind = text[:first], text[last:]
    return _leaves_it(before, asked) and _closes(behind, after=text[first:last])


def _ends(text: str) -> list[tuple[int, int]]:
    """Return a pair of positions for each sentence: its end, and the start of the next sentence.

    A single line break before a lower-case letter or a digit does not end a sentence.
    """
    found = []
    for match in _ENDING.finditer(text):
        behind = text[match.end() : match.end() + 1]
        is_line = match[0][0] == "\n"
        if is_line and (behind.islower() or behind.isdigit()) and match[0].count("\n") < 2:
            continue
        word = fold(text[max(0, match.start() - 8) : match.start()])
        if match[0] == "." and _ABBREVIATED.search(word):
            continue
        found.append((match.start(), match.end()))
    return found


def _known(sentence: str) -> _Known | None:
    """Return the meaning of a sentence that consists of known words. Return None if any word or
    punctuation mark could change that meaning."""
    words = caution_words()
    composed = normalized(sentence, UnicodeForm.NFC).strip()
    if not _holds_only(composed, _SENTENCE_MARKS) or _BROKEN_OFF.search(composed):
        return None
    tokens = tokens_of(composed)
    if words.clashes.within(tokens) or not _all_known(tokens) or _asks_on(tokens):
        return None
    numbers = [token for token in tokens if _is_number(token)]
    meanings = [words.actions[token] for token in tokens if token in words.actions]
    if len(set(numbers)) > 1 or len(meanings) > 1 or not all(map(_is_order, numbers)):
        return None
    if "?" in composed and not words.interrogative.within(tokens):
        return None
    verb = any(meaning.role not in _NO_ASKING for meaning in meanings)
    gives_back = _any(tokens, words.file.money) and _any(tokens, words.file.returning)
    names = bool(meanings) or gives_back
    return _Known(
        numbers=frozenset(numbers),
        kinds=frozenset(meaning.kind for meaning in meanings if meaning.kind)
        or frozenset({ActionKind.REFUND} if gives_back else ()),
        asks=names and (verb or words.asking.within(tokens)),
        names_order=bool(numbers) or _any(tokens, words.file.order),
    )


def _all_known(tokens: Tokens) -> bool:
    words = caution_words()
    at = 0
    while at < len(tokens):
        length = words.known.length_at(tokens, at)
        if not length and not _stands(tokens, at):
            return False
        at += length or 1
    return True


def _asks_on(tokens: Tokens) -> bool:
    """Return True if another request follows the action, as in "Cancel it, I want order 1042"."""
    words = caution_words()
    at, named = 0, False
    while at < len(tokens):
        length = words.known.length_at(tokens, at)
        if named and _is_wish(tokens[at : at + length]):
            return True
        named = named or tokens[at] in words.actions or tokens[at] in words.file.money
        at += length or 1
    return False


def _is_wish(phrase: Tokens) -> bool:
    """Return True if a phrase requests something, such as "I would like" or "je veux que vous".
    Return False for a phrase that is only polite."""
    words = caution_words()
    return words.asking.within(phrase) and words.behind.length_at(phrase, 0) != len(phrase)


def _stands(tokens: Tokens, at: int) -> bool:
    """Return True if the unlisted word at the index `at` is understood. Such a word names an
    action, or is an order number or an order number's prefix."""
    words, token = caution_words(), tokens[at]
    follows = tokens[at + 1] if at + 1 < len(tokens) else ""
    if _is_number(token):
        said = tokens[at - 1] if at else ""
        may_be_sum = token.isdigit() and (len(token) <= 3 or said in words.file.before_sums)
        # "I want order 1042 back" does not request a refund.
        return follows != "back" and (not may_be_sum or _tells_order(said))
    return token in words.actions or (token in words.file.before_numbers and _is_number(follows))


def _tells_order(token: str) -> bool:
    """Return True if `token` shows that the number after it is an order number. In "refund me 100",
    the number may be a sum."""
    file = caution_words().file
    return token in file.order or token in file.before_numbers


def _leaves_it(before: str, asked: _Known) -> bool:
    """Return True if the text before a request does not change the request's meaning."""
    if not before.strip():
        return True
    if _REPORTED.search(before) or before.rstrip()[-1] in ":,;-–—(…":
        return _polite_only(before) and before.rstrip()[-1] == ","
    numbers: set[str] = set()
    for sentence in re.split(r"(?<=[.!?…])\s+|\n", before):
        if not sentence.strip() or _polite_only(sentence):
            continue
        tokens = tokens_of(sentence)
        numbers |= {token for token in tokens if _is_number(token) and len(token) > 3}
        known = _known(sentence)
        if known and known.asks:
            if not known.kinds <= asked.kinds or (known.numbers - asked.numbers and asked.numbers):
                return False
            continue
        words = caution_words()
        spoken_of = any(token in words.actions or token in words.file.money for token in tokens)
        # If the text mentions an earlier cancellation, repayment or refund, the request is
        # uncertain.
        if words.pointing.within(tokens) or spoken_of:
            return False
        if not asked.names_order and not (known and not known.asks):
            # In "The mug of 2001 broke. Refund it.", "it" may be the mug or the order.
            return False
    return bool(asked.numbers) or len(numbers) <= 1


def _closes(behind: str, *, after: str) -> bool:
    """Return True if the text after a request contains only thanks, a farewell, a plea for haste
    and the sender's name. `after` is the sentence that contains the request."""
    composed = normalized(behind, UnicodeForm.NFC)
    if not composed.strip():
        return True
    if not _holds_only(composed, _CLOSING_MARKS) or _BROKEN_OFF.search(composed.strip()):
        return False
    tokens = tokens_of(composed)
    at = caution_words().behind.cover(tokens)
    if at == len(tokens):
        return True
    polite = tokens_of(after)
    greeted = at > 0 or any(
        caution_words().polite.length_at(polite, of) == len(polite) - of
        for of in range(len(polite))
    )
    return greeted and _signs(composed, len(tokens) - at)


def _signs(behind: str, count: int) -> bool:
    """Return True if the last `count` words are a name after a comma or on a separate line."""
    pieces = re.split(r"[,\n!]|\.(?=\s|$)(?<![A-Z]\.)", behind.rstrip(" \t\n"))
    pieces = [piece for piece in pieces if piece.strip()]
    taken: list[str] = []
    while pieces and count > 0:
        names = pieces.pop().split()
        count -= sum(len(tokens_of(name)) for name in names)
        taken[:0] = names
    return count == 0 and 0 < len(taken) <= _LONGEST_NAME and all(map(_is_name, taken))


def _is_name(name: str) -> bool:
    words = caution_words()
    if re.fullmatch(r"[A-Z]\.?", name) or fold(name).rstrip(".") in words.file.titles:
        return True
    if not _NAME.fullmatch(name) or not name[0].isupper():
        return False
    parts = tokens_of(name)
    if name[1:] != name[1:].lower() and "-" not in name and "'" not in name and "’" not in name:
        return False
    held = _vocabulary()
    return not any(
        part in held or part in words.file.no_name or part.endswith(words.file.no_name_endings)
        for part in parts
    )


def _polite_only(sentence: str) -> bool:
    tokens = tokens_of(sentence)
    return caution_words().polite.cover(tokens) == len(tokens)


def _any(tokens: Tokens, listed: tuple[str, ...]) -> bool:
    return any(token in listed for token in tokens)


def _holds_only(text: str, marks: frozenset[str]) -> bool:
    """Return True if a text contains only letters, digits, spaces and the given marks. Other
    characters may separate, strike out or hide words."""
    return all(c.isalpha() or c in "0123456789 \n\r\t\u00a0\u202f" or c in marks for c in text)


def _is_number(token: str) -> bool:
    return any(map(str.isdigit, token))


def _is_order(token: str) -> bool:
    """Return True if a token is the number of a single order.

    Return False for "1042-1044" (several orders), "2026-11-22" (a date), "eur100" (a sum) and
    "not1042".
    """
    found = _ORDER.fullmatch(token)
    if found is None:
        return False
    prefix, digits, rest = found.groups()
    if prefix and not _tells_order(prefix) and (len(prefix) > 3 or _limits(prefix)):
        return False
    return len(rest) != len(digits) + 1 and not _DAY.fullmatch(rest)


def _limits(word: str) -> bool:
    words = caution_words()
    meanings = (vocabulary("fr").of(word), vocabulary("en").of(word))
    return (
        word in words.file.no_name
        or words.pointing.within((word,))
        or any(one.role in OPPOSING or one.role is SpeechRole.BUT for one in meanings)
    )


def _vocabulary() -> frozenset[str]:
    return vocabulary("fr").words | vocabulary("en").words
