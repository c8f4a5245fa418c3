"""Secrets and personal data out of text: the one place that knows what they look like.

What a customer wrote cannot be recognised; it must not come here in the first place.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from settings import Settings

MASK: Final = "[redacted]"

# A shorter one would be found inside ordinary words.
_MIN_SECRET: Final = 8
_MAX_DEPTH: Final = 8
# Longer text is cut, with what may have been halved there.
_MAX_TEXT: Final = 8 * 1024
_HALVED: Final = 512

_SECRET_NAME: Final = re.compile(
    r"(?i)^(?:.*[_-])?(?:api_?key|apikey|token|secret|password|passwd|pwd|authorization|cookie|dsn)$"
)
_WORD: Final = re.compile(r"[A-Za-z]?[a-z]+|[A-Z]+")


def _basic(match: re.Match[str]) -> str:
    # "a basic example" is no credential; those have digits, capitals or signs in the middle.
    return match[0] if _WORD.fullmatch(match[3].rstrip(".!?")) else f"{match[1]}{match[2]}{MASK}"


_GAP: Final = r"(?:\s|%20)+"
# A scheme's name may follow instead of a token; then the token comes after that.
_TOKEN_CHARACTER: Final = rf"(?!(?:bearer|basic){_GAP})[^\s\"'<>,;(){{}}\[\]]"

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
# In this order: each leaves whole what a later one has to find.
_RULES: Final[tuple[_Rule, ...]] = (
    # postgresql://user:password@host, and https://key@host
    (re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}://)[^\s:/@\"'<>]*:[^\s\"'<>]*@"), rf"\1{MASK}@"),
    (re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}://)[^\s:/@\"'<>]+@"), rf"\1{MASK}@"),
    # Authorization's schemes
    (re.compile(rf"(?i)(bearer)({_GAP})(?:{_TOKEN_CHARACTER})+"), rf"\1\2{MASK}"),
    (re.compile(rf"(?i)(basic)({_GAP})((?:{_TOKEN_CHARACTER}){{6,}})"), _basic),
    # a header or a mapping's entry that was printed
    (
        re.compile(
            r"(?i)((?:x-engine-secret|x-internal-secret|authorization|cookie|password|api_key)"
            r"[\"']?\s*:\s*)(?:b?([\"']).*?\2|[^\s\"',}]+)"
        ),
        rf"\1{MASK}",
    ),
    # queries: of an address with its scheme always, of a path if they name something
    (re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s?\"'<>]*)\?[^\s\"'<>]+"), rf"\1?{MASK}"),
    (re.compile(r"(?<=[\w/.~%)-])\?[^\s?\"'<>]*=[^\s\"'<>]*"), f"?{MASK}"),
    # api_key=…, password=…
    (
        re.compile(
            r"(?i)((?:api_?key|token|secret|password|passwd|pwd)[\"']?=)"
            r"(?:([\"']).*?\2|[^\s\"'&;,]+)"
        ),
        rf"\1{MASK}",
    ),
    # JWT: base64url of a JSON object, a dot, and more
    (re.compile(r"(?:eyJ|eyA|ewo)[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_.-]+"), MASK),
    (re.compile(r"(?i)(?:ak|mcp|whsec)_[0-9a-f]{8,}"), MASK),
    # e-mail addresses, also percent-encoded
    (
        re.compile(
            r"[^\s@<>\"'(),:;\[\]{}=&?/\\|]{1,64}(?:@|%40)"
            r"[^\W_][\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,}"
        ),
        MASK,
    ),
)


class Redactor:
    """Masks what looks like a credential or an address, and the secrets it is told."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        told = sorted({s for s in secrets if len(s) >= _MIN_SECRET}, key=len, reverse=True)
        self._told = re.compile("|".join(map(re.escape, told))) if told else None

    @classmethod
    def of(cls, settings: Settings) -> "Redactor":
        """One that knows the secrets of these settings, passwords in their URLs included."""
        found: list[str] = []
        for value in dict(settings).values():
            text = value.get_secret_value() if isinstance(value, SecretStr) else value
            if not isinstance(text, str):
                continue
            if isinstance(value, SecretStr):
                found += [text, *text.split(",")]
            if "://" in text:
                found.append(_password(text))
        return cls(found)

    def text(self, text: str) -> str:
        if self._told is not None:
            text = self._told.sub(MASK, text)
        cut = len(text) > _MAX_TEXT
        text = text[:_MAX_TEXT]
        for pattern, replacement in _RULES:
            text = pattern.sub(replacement, text)
        return f"{text[:-_HALVED]}…" if cut else text

    def value(self, value: object, depth: int = 0) -> object:
        """The value as JSON can hold it, every text in it masked.

        Of an exception, and of what lies too deep, its type.
        """
        match value:
            case None | bool() | int() | float():
                return value
            case Mapping() if depth < _MAX_DEPTH:
                return self.mapping(value, depth + 1)
            case list() | tuple() | set() | frozenset() if depth < _MAX_DEPTH:
                return [self.value(inner, depth + 1) for inner in value]
            case BaseException() | Mapping() | list() | tuple() | set() | frozenset():
                return type(value).__name__
            case _:
                return self.text(str(value))

    def mapping(self, entries: Mapping[str, object], depth: int = 0) -> dict[str, object]:
        """The same with every value masked; whole, where the name says that it is a secret."""
        return {
            self.text(str(name)): MASK
            if _SECRET_NAME.match(str(name)) and value
            else self.value(value, depth)
            for name, value in entries.items()
        }


def _password(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:  # no URL after all
        return ""
