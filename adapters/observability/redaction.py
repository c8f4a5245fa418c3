"""Redact secrets and personal data in text. All redaction patterns are here. They cannot recognize
customer text, which must never be passed."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from pydantic import SecretStr

if TYPE_CHECKING:
    from settings import Settings

MASK: Final = "[redacted]"

# A shorter secret would also match inside ordinary words.
_MIN_SECRET: Final = 8
_MAX_DEPTH: Final = 8
# Text longer than `_MAX_TEXT` characters is truncated. The last `_HALVED` of these characters are
# also dropped because the truncation may have split a secret.
_MAX_TEXT: Final = 8 * 1024
_HALVED: Final = 512

# Key names that indicate a secret. They are matched before `:` and `=` in text, and as key names in
# mappings.
_NAMES: Final = "api_?key|token|secret|password|passwd|pwd|authorization|cookie"
_SECRET_NAME: Final = re.compile(rf"(?i)^(?:.*[_-])?(?:{_NAMES}|dsn)$")
_WORD: Final = re.compile(r"[A-Za-z]?[a-z]+|[A-Z]+")
# Matches an address that ends in a host name, an IPv4 address, or a domain that ends in letters. A
# version, as in `temporalio@1.35.0`, does not match.
_AT_HOST: Final = re.compile(
    r"\A.+(?:@|%40)(?:[^\W\d_][\w-]+(?:\.[\w-]+)*|\d+(?:\.\d+){3}"
    r"|[^\W_][\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,})",
    re.DOTALL,
)


def _basic(match: re.Match[str]) -> str:
    # "a basic example" is not a credential, because credentials contain digits, capitals or
    # symbols.
    return match[0] if _WORD.fullmatch(match[3].rstrip(".!?")) else f"{match[1]}{match[2]}{MASK}"


def _query(match: re.Match[str]) -> str:
    return f"{match[1]}?{MASK}" if match[2] else match[0]


def _jwt(match: re.Match[str]) -> str:
    return MASK if match[1] else match[0]


def _address(match: re.Match[str]) -> str:
    return _AT_HOST.sub(MASK, match[0], count=1)


_GAP: Final = r"(?:\s|%20)"
# A match must not start with the name of a scheme, such as `bearer`, because that name may precede
# the token itself.
_TOKEN_CHARACTER: Final = rf"(?!(?:bearer|basic){_GAP})[^\s\"'<>,;(){{}}\[\]]"
_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.-]{0,30}://"

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
# The order matters: each rule must leave the text that a later rule matches intact. No rule may
# rescan the same characters from different starting points, because callers control some of the
# text. If a rule scans characters without a match, it consumes them and returns them unchanged, or
# stops after a fixed number of characters.
_RULES: Final[tuple[_Rule, ...]] = (
    # Credentials in URLs, as in postgresql://user:password@host and https://key@host. A run of 512
    # characters after the colon is masked too because it is too long for a port.
    (
        re.compile(rf"({_SCHEME})[^\s:/@\"'<>]*+:(?:[^\s\"'<>]{{0,512}}@|[^\s\"'<>]{{512,}}+)"),
        rf"\1{MASK}@",
    ),
    (re.compile(rf"({_SCHEME})[^\s:/@\"'<>]++@"), rf"\1{MASK}@"),
    # Credentials after a scheme in the Authorization header.
    (re.compile(rf"(?i)(bearer)({_GAP}+)(?:{_TOKEN_CHARACTER})+"), rf"\1\2{MASK}"),
    (re.compile(rf"(?i)(basic)({_GAP}+)((?:{_TOKEN_CHARACTER}){{6,}})"), _basic),
    # This rule matches api_key=…, also in a printed header or mapping.
    (
        re.compile(rf"(?i)((?:{_NAMES})[\"']?\s*[:=]\s*)(?:b?([\"']).*?\2|(?:b?[\"'])?[^\s\"',]+)"),
        rf"\1{MASK}",
    ),
    # Query strings. They are always masked in a full URL. In a path, they are masked only if they
    # contain `=`.
    (re.compile(rf"({_SCHEME}[^\s?\"'<>]*+)(\?[^\s\"'<>]+)?"), _query),
    (re.compile(r"(?<=[\w/.~%)-])\?[^\s?\"'<>]*=[^\s\"'<>]*"), f"?{MASK}"),
    # A JWT: the base64url encoding of a JSON object, a dot, and further characters.
    (re.compile(r"(?:eyJ|eyA|ewo)[A-Za-z0-9_-]{5,}+(\.[A-Za-z0-9_.-]+)?"), _jwt),
    (re.compile(r"(?i)(?:ak|mcp|wk|whsec|wsec)_[0-9a-f]{8,}"), MASK),
    # The token in a webhook URL's path, or any text in its position.
    (re.compile(r"(/api/webhooks/[a-z_]{1,32}/)[^\s\"'<>]{1,2048}"), rf"\1{MASK}"),
    # A widget session token: its ULID, a dot, and 32 bytes.
    (re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}\.[A-Za-z0-9_-]{43}"), MASK),
    # Email addresses, also percent-encoded. An apostrophe inside a name is part of the address. An
    # apostrophe used as a quotation mark is not.
    (re.compile(r"(?:[^\s<>\"'(),:;\[\]{}=&?/\\|]|(?<=\w)')++"), _address),
)

# None of the rules above can match a text without one of these characters or words. This check must
# be fast because every log line passes through here.
_SUSPECT: Final = re.compile(
    r"[@%:=?]|eyJ|eyA|ewo|[Bb][Ee][Aa][Rr][Ee][Rr]|[Bb][Aa][Ss][Ii][Cc]|[Kk]_|[Pp]_|[Cc]_"
    r"|[0-9A-Z]\.[A-Za-z0-9_-]{43}|/api/webhooks/"
)
# A timestamp contains nothing to redact.
_TIME: Final = re.compile(r"[\d:.TZ+-]{10,40}")


class Redactor:
    """A redactor that masks the given secrets, and any text that looks like a credential or an
    email address."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({s for s in secrets if len(s) >= _MIN_SECRET}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    @classmethod
    def of(cls, settings: "Settings") -> "Redactor":
        """Return a redactor that also masks the secrets in these settings, including passwords in
        URLs."""
        found: list[str] = []
        for value in (value for _, group in settings for _, value in group):
            text = value.get_secret_value() if isinstance(value, SecretStr) else value
            if not isinstance(text, str):
                continue
            if isinstance(value, SecretStr):
                found += [text, *text.split(",")]
            if "://" in text:
                found.append(_password(text))
        return cls(found)

    def text(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(MASK, text)
        if len(text) <= _MAX_TEXT and (not _SUSPECT.search(text) or _TIME.fullmatch(text)):
            return text
        cut = len(text) > _MAX_TEXT
        text = text[:_MAX_TEXT]
        for pattern, replacement in _RULES:
            text = pattern.sub(replacement, text)
        return f"{text[:-_HALVED]}…" if cut else text

    def value(self, value: object, depth: int = 0) -> object:
        """Return the value in JSON-compatible form, with sensitive text masked. An exception or a
        value that is nested too deeply is replaced by the name of its type."""
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
        """Return the mapping with sensitive text in its keys and values masked. If a key name
        indicates a secret, the whole value is masked."""
        return {
            self.text(str(name)): MASK
            if _SECRET_NAME.match(str(name)) and value
            else self.value(value, depth)
            for name, value in entries.items()
        }


def _password(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:  # The text is not a URL.
        return ""
