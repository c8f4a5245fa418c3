"""Common mistakes that receivers make when verifying signatures. For each mistake, the functions
compute the value that the mistake would produce."""

import base64
import hmac
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain.webhooks.signature import SECRET_PREFIX

_DIGEST_BYTES: Final = 32
# Minimum length of a truncated signature, in bytes. A shorter signature could match by chance, or
# allow an attacker to guess the rest.
_FEWEST_BYTES: Final = 8
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_HEADER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z-]+:\s*")
_STANDARD_LIST: Final = re.compile(r"(?:^|\s)v1,")
_VERSION: Final = re.compile(r"(?:t=\d+,)?v1[=,]")
_ANOTHER: Final = "sha256="
_HEX: Final = re.compile(r"[0-9A-Fa-f]+")


class Scheme(StrEnum):
    """The signature scheme: `service` for the X-Service-Signature header, `standard` for
    webhook-signature of Standard Webhooks."""

    SERVICE = "service"
    STANDARD = "standard"


class Mistake(StrEnum):
    """A mistake in computing or copying a signature. `WORDS` describes each mistake."""

    NO_VERSION = "no_version"
    UPPER_CASE = "upper_case"
    TRUNCATED = "truncated"
    BASE64_FOR_HEX = "base64_for_hex"
    HEX_FOR_BASE64 = "hex_for_base64"
    SECRET_WITHOUT_PREFIX = "secret_without_prefix"  # noqa: S105 - not a secret
    SECRET_DECODED = "secret_decoded"  # noqa: S105
    SECRET_NOT_DECODED = "secret_not_decoded"  # noqa: S105
    SECRET_FROM_HEX = "secret_from_hex"  # noqa: S105
    TIMESTAMP_NOT_SIGNED = "timestamp_not_signed"
    NO_DOT = "no_dot"
    ID_SIGNED = "id_signed"
    ID_NOT_SIGNED = "id_not_signed"
    BYTE_ORDER_MARK = "byte_order_mark"
    LINE_ENDS = "line_ends"
    TRAILING_SPACE = "trailing_space"
    WRONG_CHARSET = "wrong_charset"
    JSON_RENDERED_AGAIN = "json_rendered_again"


WORDS: Final = {
    Mistake.NO_VERSION: "the version before the signature (v1= or v1,) is missing",
    Mistake.UPPER_CASE: "the signature's hexadecimal digits must be lower case",
    Mistake.TRUNCATED: "the signature is cut short",
    Mistake.BASE64_FOR_HEX: "the signature is base64 and must be hexadecimal",
    Mistake.HEX_FOR_BASE64: "the signature is hexadecimal and must be base64",
    Mistake.SECRET_WITHOUT_PREFIX: "the key was the secret without its whsec_",
    Mistake.SECRET_DECODED: "the secret was base64-decoded; the key of X-Service-Signature is the "
    "whole string, whsec_ included",
    Mistake.SECRET_NOT_DECODED: "the secret was used as a string; the key of webhook-signature is "
    "what follows whsec_, base64-decoded",
    Mistake.SECRET_FROM_HEX: "the secret was decoded from hexadecimal",
    Mistake.TIMESTAMP_NOT_SIGNED: "the body was signed without the timestamp",
    Mistake.NO_DOT: "the dot between timestamp and body is missing",
    Mistake.ID_SIGNED: "the id was signed too, as only webhook-signature does",
    Mistake.ID_NOT_SIGNED: "the id before the timestamp was not signed",
    Mistake.BYTE_ORDER_MARK: "a byte order mark was put before the body",
    Mistake.LINE_ENDS: "the body's line ends were changed to CRLF",
    Mistake.TRAILING_SPACE: "a line end or a space was put after the body",
    Mistake.WRONG_CHARSET: "the body's UTF-8 was read as Latin-1 and encoded again",
    Mistake.JSON_RENDERED_AGAIN: "the body was parsed and rendered again",
}


@dataclass(frozen=True, slots=True)
class ReadSignature:
    """A parsed signature header, with one digest per signature. The digest of a truncated signature
    is shorter than 32 bytes."""

    scheme: Scheme
    digests: tuple[bytes, ...]
    mistakes: tuple[Mistake, ...] = ()

    def is_of(self, digest: bytes) -> bool:
        """Return True if one of the signatures equals this digest, in constant time. A truncated
        signature is compared with the digest's start."""
        return any(_same(given, digest) for given in self.digests)


def read_signature(text: str, *, has_id: bool) -> ReadSignature | None:
    """Parse the value of any of the three signature headers leniently. Return None if it contains
    no signature.

    If a webhook-id was also pasted (`has_id`), base64 without a version is a Standard Webhooks
    signature.
    """
    text = text.strip().strip("\"'")
    if named := _HEADER_NAME.match(text):
        text = text[named.end() :]
    if _STANDARD_LIST.search(text):
        parts = [part for part in text.split() if part.startswith("v1,")]
        scheme = Scheme.STANDARD
    else:
        parts = [text]
        bare = not _VERSION.match(text)
        scheme = Scheme.STANDARD if bare and has_id and text.endswith("=") else Scheme.SERVICE
    read = [found for part in parts if (found := _read_one(part, scheme)) is not None]
    if not read:
        return None
    mistakes = tuple(dict.fromkeys(mistake for _, found in read for mistake in found))
    return ReadSignature(scheme, tuple(digest for digest, _ in read), mistakes)


def _read_one(text: str, scheme: Scheme) -> tuple[bytes, list[Mistake]] | None:
    version = _VERSION.match(text)
    mistakes = [] if version else [Mistake.NO_VERSION]
    value = text[version.end() :] if version else text.removeprefix(_ANOTHER)
    if len(value) > 2 * _DIGEST_BYTES:
        return None
    if _HEX.fullmatch(value):
        if value != value.lower():
            mistakes.append(Mistake.UPPER_CASE)
        if scheme is Scheme.STANDARD:
            mistakes.append(Mistake.HEX_FOR_BASE64)
        digest = bytes.fromhex(value[: len(value) // 2 * 2])
        if len(value) < 2 * _DIGEST_BYTES:
            mistakes.append(Mistake.TRUNCATED)
    else:
        try:
            plain = value.rstrip("=").replace("-", "+").replace("_", "/")
            digest = base64.b64decode(plain + "=", validate=True)
        except ValueError:
            return None
        if len(digest) != _DIGEST_BYTES:
            return None
        if scheme is Scheme.SERVICE:
            mistakes.append(Mistake.BASE64_FOR_HEX)
    return (digest, mistakes) if len(digest) >= _FEWEST_BYTES else None


def _same(given: bytes, digest: bytes) -> bool:
    return hmac.compare_digest(given, digest[: len(given)])


Option = tuple[bytes, tuple[Mistake, ...]]
"""A key, signed string or body that a receiver may have used, with the mistakes that led to it."""


def keys(secret: str, scheme: Scheme) -> Iterator[Option]:
    """Yield the HMAC keys that developers derive from a secret, correct key first."""
    rest = secret.removeprefix(SECRET_PREFIX)
    whole, decoded = secret.encode(), base64.b64decode(rest)
    if scheme is Scheme.SERVICE:
        yield whole, ()
        yield decoded, (Mistake.SECRET_DECODED,)
    else:
        yield decoded, ()
        yield whole, (Mistake.SECRET_NOT_DECODED,)
    yield rest.encode(), (Mistake.SECRET_WITHOUT_PREFIX,)
    yield bytes.fromhex(rest), (Mistake.SECRET_FROM_HEX,)


def signed_strings(
    message_id: str, timestamp: str, body: bytes, scheme: Scheme
) -> Iterator[Option]:
    """Yield the strings that developers sign for a message, correct string first."""
    moment = timestamp.encode(errors="replace")
    plain = moment + b"." + body
    with_id = message_id.encode(errors="replace") + b"." + plain
    if scheme is Scheme.SERVICE:
        yield plain, ()
        yield with_id, (Mistake.ID_SIGNED,)
    else:
        yield with_id, ()
        yield plain, (Mistake.ID_NOT_SIGNED,)
    yield body, (Mistake.TIMESTAMP_NOT_SIGNED,)
    yield moment + body, (Mistake.NO_DOT,)


def _without_mark(body: bytes) -> bytes:
    return body.removeprefix(_BYTE_ORDER_MARK)


def _one_kind_of_line_end(body: bytes) -> bytes:
    return body.replace(b"\r\n", b"\n")


def _decoded_once(body: bytes) -> bytes:
    try:
        return body.decode().encode("latin-1").decode().encode()
    except UnicodeError:
        return body


def _rendered(body: bytes) -> bytes:
    """Return a JSON body as this service serializes JSON: without spaces, with unescaped UTF-8, and
    with the keys in their given order. Return any other body unchanged."""
    value = _value(body)
    if value is None:
        return body
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        errors="surrogatepass"
    )


# The byte order mark is removed first because it would prevent the JSON from being parsed.
_UNDONE: Final[tuple[tuple[Mistake, Callable[[bytes], bytes]], ...]] = (
    (Mistake.BYTE_ORDER_MARK, _without_mark),
    (Mistake.LINE_ENDS, _one_kind_of_line_end),
    (Mistake.TRAILING_SPACE, bytes.rstrip),
    (Mistake.WRONG_CHARSET, _decoded_once),
    (Mistake.JSON_RENDERED_AGAIN, _rendered),
)


def undone(body: bytes) -> Iterator[Option]:
    """Yield the body as pasted, then the body after undoing each possible change, one change after
    another."""
    mistakes: tuple[Mistake, ...] = ()
    yield body, mistakes
    for mistake, undo in _UNDONE:
        better = undo(body)
        if better != body:
            body, mistakes = better, (*mistakes, mistake)
            yield body, mistakes


class Changes:
    """A detector of the differences between a pasted body and sent bodies. The pasted body is
    parsed once and compared with many sent bodies."""

    def __init__(self, pasted: bytes) -> None:
        self._forms = tuple(undone(pasted))
        self._value = _value(self._forms[-1][0])

    def since(self, sent: bytes) -> tuple[Mistake, ...] | None:
        """Return the changes that turned the sent body into the pasted body, or None if the content
        of the two bodies differs."""
        for form, mistakes in self._forms:
            if form == sent:
                return mistakes
        if self._value is None or self._value != _value(sent):
            return None
        _, mistakes = self._forms[-1]
        return tuple(dict.fromkeys((*mistakes, Mistake.JSON_RENDERED_AGAIN)))


def _value(body: bytes) -> object:
    """Return the parsed JSON value of a body, or None if the body is not valid JSON."""
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value
