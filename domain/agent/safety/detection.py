"""Detect prompt injections by their phrasing in French and English.

This is the weaker of two defences: new wording evades it, but the policy (`domain/agent/policy.py`)
obeys no text. Detection takes linear time. The patterns are in `phrasings.yaml`.
"""

import base64
import binascii
import re
from collections.abc import Generator
from typing import Final, cast

from domain.agent.safety.phrasings import phrasings
from domain.agent.safety.reason import UnsafeReason
from domain.agent.size_limits import READ_CHARS
from domain.core.effort import spend
from domain.core.text import UnicodeForm, normalized, unescaped, without_marks

__all__ = ["UnsafeReason", "unsafe"]

# Normalization can expand one character to up to 18 characters, and case folding to up to 3. A text
# that is longer than this limit afterwards was padded with such characters.
_MAX_SHOWN: Final = 2 * READ_CHARS
_MAX_BLOBS: Final = 20
# Number of phrasings searched for in one step.
_AT_ONCE: Final = 40

# Invisible characters that split words: zero width, soft hyphen, bidi marks, variation selectors.
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
# ASCII encoded as invisible tag characters. Their only legitimate use is in regional flags.
_TAGS: Final = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e]{4,}")
_BLOB: Final = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_SPACED: Final = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*·]{1,3}){5,}[^\W\d_](?![^\W_])")
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")
_LEET: Final = str.maketrans("013457@$", "oieastas")
_TOKEN: Final = re.compile(r"[a-z0-9@$]{3,40}")
# Letters from other scripts that look like Latin letters. Normalization does not convert them.
_LOOKALIKES: Final = str.maketrans(
    "аеорсухіјѕԁһӏԛԝьгмтквнзαβεικνορτυχωηɑɡıⅼոսցѵ",
    "aeopcyxijsdhlqwbrmtkbh3abeiknoptuxwnagilnugv",
)


def unsafe(text: str) -> UnsafeReason | None:
    """Return the kind of prompt injection in `text`, or None. Reads `READ_CHARS` characters."""
    steps = examination(text)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("UnsafeReason | None", end.value)


Examination = Generator[None, None, UnsafeReason | None]


def examination(text: str) -> Examination:
    """Return a generator that performs the check of `unsafe` in small steps. The generator returns
    the kind of prompt injection, or None."""
    return _found(text[:READ_CHARS], decode=True)


def _found(text: str, *, decode: bool) -> Examination:
    spend(len(text))
    if _TAGS.search(text):
        return UnsafeReason.HIDDEN_TEXT
    plain = _readable(text)
    if plain is None:
        return UnsafeReason.OBFUSCATED
    reason = (yield from _in_markup(plain)) or (yield from _in_words(plain))
    if reason is not None:
        return reason
    if any(
        phrasings().spelt_out.search(_NO_WORD.sub("", run[0])) for run in _SPACED.finditer(plain)
    ):
        return UnsafeReason.OBFUSCATED
    hidden = decode and (yield from _hides_words(text))
    return UnsafeReason.OBFUSCATED if hidden else None


def _in_markup(plain: str) -> Examination:
    """Return the kind of prompt injection in the text's markup, or None. Each pattern is a step
    because one search may examine the text several times."""
    for reason, pattern in phrasings().markup:
        yield
        if pattern.search(plain):
            return reason
    return None


def _in_words(plain: str) -> Examination:
    """Return the kind of prompt injection in the text's words, or None."""
    for words in _readings(plain):
        for number, (reason, pattern) in enumerate(phrasings().words):
            if number % _AT_ONCE == 0:
                yield
            if pattern.search(words):
                return reason
    return None


def _readable(text: str) -> str | None:
    """Return the normalized text in lower case. Return None if normalization makes it too long."""
    shown = normalized(_UNSEEN.sub("", unescaped(text)), UnicodeForm.NFKC)
    if len(shown) > _MAX_SHOWN:
        return None
    spend(len(shown))
    plain = _plain(shown)
    return plain if len(plain) <= _MAX_SHOWN else None


def _plain(shown: str) -> str:
    """Return the text in lower case, without accents and lookalike letters. Punctuation marks and
    line breaks are kept."""
    if shown.isascii():
        return shown.lower()
    bare = without_marks(normalized(shown.casefold(), UnicodeForm.NFKD))
    return bare if bare.isascii() else bare.translate(_LOOKALIKES)


def _readings(plain: str) -> tuple[str, ...]:
    """Return the words of a text. If words contain digits, also return the words with their digits
    replaced by the letters that the digits resemble."""
    words = _NO_WORD.sub(" ", plain)
    spelt = _TOKEN.sub(_spelt, plain)
    return (words,) if spelt == plain else (words, _NO_WORD.sub(" ", spelt))


def _spelt(token: re.Match[str]) -> str:
    """Return a word with its digits replaced by letters. A number is returned unchanged."""
    return token[0] if token[0].isdigit() else token[0].translate(_LEET)


def _hides_words(text: str) -> Generator[None, None, bool]:
    """Return True if a base64 part of the text decodes to a prompt injection."""
    for number, blob in enumerate(_BLOB.finditer(text)):
        if number == _MAX_BLOBS:
            return False
        try:
            standard = blob[0].translate(str.maketrans("-_", "+/")).rstrip("=")
            decoded = base64.b64decode(standard + "=" * (-len(standard) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if (yield from _found(decoded, decode=False)):
            return True
    return False
