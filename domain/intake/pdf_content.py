"""Detect dangerous content in a PDF: scripts, actions, embedded files, encryption.

Names are searched for in the file and in its compressed object streams, where newer PDFs store
them. A file that cannot be searched, or only at a high cost, is refused.

Python's regular expressions and searches hold the interpreter lock until they return. Each call
therefore examines at most one window, so that a thread that searches a file delays other threads
by milliseconds only.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.intake.refused_file import AttachmentRefusal

MAX_INFLATED: Final = 8 * 1024 * 1024
"""Maximum total size of the object streams of an event's files after inflating, in bytes. Without a
limit, a file could inflate to a thousand times its size."""

# Maximum counts per file: names spelled in hex, lookalikes of a dangerous name, streams, and object
# streams. Beyond these limits, the search would be too expensive.
_MAX_ESCAPES: Final = 20_000
_MAX_LOOKALIKES: Final = 20_000
_MAX_STREAMS: Final = 50_000
_MAX_OBJECT_STREAMS: Final = 10_000
# At most one in this many bytes may be a "#". The limit leaves a wide margin: in a compressed
# stream, about one byte in 256 is a "#" by chance.
_MAX_SHARE_OF_HASHES: Final = 50
# Maximum length of an object stream's dictionary, in bytes.
_MAX_DICTIONARY: Final = 4_096
_WINDOW: Final = 256 * 1024
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
_ACTIVE_NAMES: Final = (
    *(b"/JavaScript", b"/Launch", b"/EmbeddedFile", b"/RichMedia", b"/Rendition", b"/XFA"),
    *(b"/SubmitForm", b"/ImportData", b"/GoToE", b"/OpenAction"),
)
# These names are too short to search for in streams, because every second large image contains such
# a name by chance.
_SHORT: Final = re.compile(rb"/(?:JS|AA)" + _END)
_SHORT_NAMES: Final = (b"/JS", b"/AA")
_OBJECT_STREAM: Final = re.compile(rb"/ObjStm" + _END)
_TEXT: Final = re.compile(rb"[(%]")
_STREAM: Final = re.compile(rb"stream\r?\n")


class _Opaque(Exception):
    """The PDF cannot be searched for dangerous content."""


@dataclass(slots=True)
class InflateBudget:
    """The number of bytes that remain for inflating the object streams of an event's files."""

    left: int = MAX_INFLATED


def pdf_refusal(data: bytes, budget: InflateBudget) -> AttachmentRefusal | None:
    """Return the reason why the PDF is refused, or None if it is stored. Subtracts the inflated
    bytes from the budget."""
    if b"%%EOF" not in data[-_TAIL:]:
        return AttachmentRefusal.UNREADABLE
    try:
        plain = _unescaped(data)
        if _contains(plain, (b"/Encrypt",), _ENCRYPTED):
            return AttachmentRefusal.PDF_ENCRYPTED
        if _is_active(plain) or _contains(_outside_streams(plain), _SHORT_NAMES, _SHORT):
            return AttachmentRefusal.PDF_ACTIVE
        for text in map(_unescaped, _object_streams(data, plain, budget)):
            if _is_active(text) or _contains(text, _SHORT_NAMES, _SHORT):
                return AttachmentRefusal.PDF_ACTIVE
    except _Opaque:
        return AttachmentRefusal.UNREADABLE
    return None


def _is_active(data: bytes) -> bool:
    return _contains(data, _ACTIVE_NAMES, _ACTIVE)


def _contains(data: bytes, names: tuple[bytes, ...], pattern: re.Pattern[bytes]) -> bool:
    """Return True if the pattern matches at one of the names. Raises _Opaque if it fails to match
    at more than _MAX_LOOKALIKES of them."""
    left = _MAX_LOOKALIKES
    for name in names:
        for start in range(0, len(data), _WINDOW):
            end = start + _WINDOW + len(name) - 1
            place = data.find(name, start, end)
            while place >= 0:
                if pattern.match(data, place):
                    return True
                left -= 1
                if left < 0:
                    raise _Opaque
                place = data.find(name, place + 1, end)
    return False


def _unescaped(data: bytes) -> bytes:
    """Return the data with names decoded: "/J#53" becomes "/JS". Raises _Opaque."""
    if data.count(b"#") > _MAX_ESCAPES + len(data) // _MAX_SHARE_OF_HASHES:
        raise _Opaque
    plain, count = _ESCAPE.subn(lambda found: bytes.fromhex(found[1].decode()), data, _MAX_ESCAPES)
    if count == _MAX_ESCAPES:
        raise _Opaque
    return plain


def _outside_streams(data: bytes) -> bytes:
    """Return the data outside streams. An unterminated stream is not removed. Raises _Opaque."""
    # Each stream contains the word twice.
    if data.count(b"stream") > 2 * _MAX_STREAMS:
        raise _Opaque
    pieces: list[bytes] = []
    place = 0
    while (stream_start := _STREAM.search(data, place)) is not None:
        end = data.find(b"endstream", stream_start.end())
        if end < 0:
            break
        pieces.append(data[place : stream_start.start()])
        place = end + len(b"endstream")
    return b" ".join([*pieces, data[place:]])


def _object_streams(data: bytes, plain: bytes, budget: InflateBudget) -> Iterator[bytes]:
    """Yield the content of each object stream. `plain`: the data with names decoded.

    Raises _Opaque for a stream that is not deflated, that exceeds the budget, or whose name is
    escaped. Each search starts where the previous one ended, so the data is scanned in one pass.
    """
    if plain.count(b"/ObjStm") > _MAX_OBJECT_STREAMS:
        raise _Opaque
    if len(_OBJECT_STREAM.findall(plain)) != len(_OBJECT_STREAM.findall(data)):
        raise _Opaque
    place = 0
    while (named := _OBJECT_STREAM.search(data, place)) is not None:
        stream_start = _STREAM.search(data, named.end())
        # The dictionary must contain only names and numbers, because a string or comment could
        # imitate a stream.
        if stream_start is None or stream_start.start() - named.end() > _MAX_DICTIONARY:
            raise _Opaque
        if _TEXT.search(data, named.end(), stream_start.start()):
            raise _Opaque
        end = data.find(b"endstream", stream_start.end())
        if end < 0:
            raise _Opaque
        inflating = zlib.decompressobj()
        try:
            content = inflating.decompress(
                memoryview(data)[stream_start.end() : end], budget.left + 1
            )
        except zlib.error:
            raise _Opaque from None
        budget.left -= len(content)
        if budget.left < 0 or not inflating.eof:
            budget.left = max(0, budget.left)
            raise _Opaque
        yield content
        place = end
