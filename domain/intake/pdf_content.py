"""Detect dangerous content in a PDF: scripts, actions, embedded files, encryption.

Names are searched for in the file and in its compressed object streams, where newer PDFs store
them. A file that cannot be searched is refused.
"""

import re
import zlib
from collections.abc import Iterator
from typing import Final

from domain.intake.refused_file import AttachmentRefusal

# Maximum total size of a file's object streams after inflating, in bytes, and maximum number of
# names spelled in hex.
_MAX_INFLATED: Final = 32 * 1024 * 1024
_MAX_ESCAPES: Final = 20_000
_TAIL: Final = 2_048

_ESCAPE: Final = re.compile(rb"#([0-9A-Fa-f]{2})")
_END: Final = rb"(?![A-Za-z0-9])"
_ENCRYPTED: Final = re.compile(rb"/Encrypt" + _END)
# An /OpenAction that is an array only selects the page to open, which is harmless.
_ACTIVE: Final = re.compile(
    rb"/(?:JavaScript|Launch|EmbeddedFiles?|RichMedia|Rendition|XFA|SubmitForm|ImportData|GoToE)"
    + _END
    + rb"|/OpenAction(?![A-Za-z0-9]|[\x00\t\n\f\r ]{0,8}\[)"
)
# These names are too short to search for in streams, because every second large image contains one
# by chance.
_SHORT: Final = re.compile(rb"/(?:JS|AA)" + _END)
_OBJECT_STREAM: Final = re.compile(rb"/ObjStm" + _END)
_TEXT: Final = re.compile(rb"[(%]")
_STREAM: Final = re.compile(rb"stream\r?\n")


class _Opaque(Exception):
    """The PDF cannot be searched for dangerous content."""


def pdf_refusal(data: bytes) -> AttachmentRefusal | None:
    """Return the reason why the PDF is refused, or None if it is stored."""
    if b"%%EOF" not in data[-_TAIL:]:
        return AttachmentRefusal.UNREADABLE
    try:
        plain = _unescaped(data)
        if _ENCRYPTED.search(plain):
            return AttachmentRefusal.PDF_ENCRYPTED
        if _ACTIVE.search(plain) or _SHORT.search(_outside_streams(plain)):
            return AttachmentRefusal.PDF_ACTIVE
        for text in map(_unescaped, _object_streams(data, plain)):
            if _ACTIVE.search(text) or _SHORT.search(text):
                return AttachmentRefusal.PDF_ACTIVE
    except _Opaque:
        return AttachmentRefusal.UNREADABLE
    return None


def _unescaped(data: bytes) -> bytes:
    """Return the data with names decoded: "/J#53" becomes "/JS". Raises _Opaque."""
    plain, count = _ESCAPE.subn(lambda found: bytes.fromhex(found[1].decode()), data, _MAX_ESCAPES)
    if count == _MAX_ESCAPES:
        raise _Opaque
    return plain


def _outside_streams(data: bytes) -> bytes:
    """Return the data outside streams. An unterminated stream is not removed."""
    pieces: list[bytes] = []
    place = 0
    while (begun := _STREAM.search(data, place)) is not None:
        end = data.find(b"endstream", begun.end())
        if end < 0:
            break
        pieces.append(data[place : begun.start()])
        place = end + len(b"endstream")
    return b" ".join([*pieces, data[place:]])


def _object_streams(data: bytes, plain: bytes) -> Iterator[bytes]:
    """Yield the content of each object stream. `plain`: the data with names decoded.

    Raises _Opaque for a stream that is not deflated, that exceeds the size limit, or whose name is
    escaped. Each search starts where the previous one ended, so the data is scanned in one pass.
    """
    if len(_OBJECT_STREAM.findall(plain)) != len(_OBJECT_STREAM.findall(data)):
        raise _Opaque
    left = _MAX_INFLATED
    place = 0
    while (named := _OBJECT_STREAM.search(data, place)) is not None:
        begun = _STREAM.search(data, named.end())
        # The dictionary must contain only names and numbers, because a string or comment could
        # imitate a stream.
        if begun is None or _TEXT.search(data, named.end(), begun.start()):
            raise _Opaque
        end = data.find(b"endstream", begun.end())
        if end < 0:
            raise _Opaque
        inflating = zlib.decompressobj()
        try:
            content = inflating.decompress(memoryview(data)[begun.end() : end], left + 1)
        except zlib.error:
            raise _Opaque from None
        left -= len(content)
        if left < 0 or not inflating.eof:
            raise _Opaque
        yield content
        place = end
