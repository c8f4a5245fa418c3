"""Detect dangerous content in a PDF: scripts, actions, embedded files and encryption.

Names are searched for in the file and in its compressed object streams. A file that is hard to
search is refused. Python's searches hold the interpreter lock, so each call covers one window,
which delays other threads by milliseconds only.
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

MAX_ESCAPES: Final = 20_000
"""Maximum number of names spelled in hex, in all files of an event and their object streams."""

MAX_OBJECT_STREAMS: Final = 4_000
"""Maximum number of object streams in all files of an event."""

# Maximum counts in all files of an event: lookalikes of a dangerous name, and streams. Beyond these
# limits, the search would be too expensive.
_MAX_LOOKALIKES: Final = 20_000
_MAX_STREAMS: Final = 50_000
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
# These names are too short to search for in streams because every second large image contains such
# a name by chance.
_SHORT: Final = re.compile(rb"/(?:JS|AA)" + _END)
_SHORT_NAMES: Final = (b"/JS", b"/AA")
_OBJECT_STREAM: Final = re.compile(rb"/ObjStm" + _END)
_TEXT: Final = re.compile(rb"[(%]")
_OBJECT: Final = re.compile(rb"(?<![A-Za-z])obj(?![A-Za-z])")
_NAME: Final = re.compile(rb"/[^\x00\t\n\f\r ()<>\[\]{}/%]*")
_DEFLATED: Final = re.compile(rb"/Filter\s{0,8}(?:/FlateDecode|\[\s{0,8}/FlateDecode\s{0,8}\])")
# The names in the dictionary of an object stream whose content is only deflated. A second filter or
# a predictor would hide the content from the search.
_STREAM_NAMES: Final = frozenset(
    {b"/Type", b"/ObjStm", b"/N", b"/First", b"/Length", b"/Extends", b"/Filter", b"/FlateDecode"}
)
_STREAM: Final = re.compile(rb"stream\r?\n")


class _Opaque(Exception):
    """The PDF cannot be searched for dangerous content."""


@dataclass(slots=True)
class InflateBudget:
    """The remaining work for the files of an event. `left` counts bytes of inflated object streams.
    Searches raise _Opaque at the limit."""

    left: int = MAX_INFLATED
    escapes: int = MAX_ESCAPES
    lookalikes: int = _MAX_LOOKALIKES
    streams: int = _MAX_STREAMS
    object_streams: int = MAX_OBJECT_STREAMS


def pdf_refusal(data: bytes, budget: InflateBudget) -> AttachmentRefusal | None:
    """Return the reason why the PDF is refused, or None if it is stored. Subtracts the inflated
    bytes from the budget."""
    if b"%%EOF" not in data[-_TAIL:]:
        return AttachmentRefusal.UNREADABLE
    try:
        plain = _unescaped(data, budget)
        if _contains(plain, (b"/Encrypt",), _ENCRYPTED, budget):
            return AttachmentRefusal.PDF_ENCRYPTED
        outside = _outside_streams(plain, budget)
        if _is_active(plain, budget) or _contains(outside, _SHORT_NAMES, _SHORT, budget):
            return AttachmentRefusal.PDF_ACTIVE
        for content in _object_streams(data, plain, budget):
            text = _unescaped(content, budget)
            if _is_active(text, budget) or _contains(text, _SHORT_NAMES, _SHORT, budget):
                return AttachmentRefusal.PDF_ACTIVE
    except _Opaque:
        return AttachmentRefusal.UNREADABLE
    return None


def _is_active(data: bytes, budget: InflateBudget) -> bool:
    return _contains(data, _ACTIVE_NAMES, _ACTIVE, budget)


def _contains(
    data: bytes, names: tuple[bytes, ...], pattern: re.Pattern[bytes], budget: InflateBudget
) -> bool:
    """Return True if the pattern matches at one of the names. Raises _Opaque at too many places
    where it does not match."""
    for name in names:
        for start in range(0, len(data), _WINDOW):
            end = start + _WINDOW + len(name) - 1
            place = data.find(name, start, end)
            while place >= 0:
                if pattern.match(data, place):
                    return True
                if not budget.lookalikes:
                    raise _Opaque
                budget.lookalikes -= 1
                place = data.find(name, place + 1, end)
    return False


def _unescaped(data: bytes, budget: InflateBudget) -> bytes:
    """Return the data with names decoded: "/J#53" becomes "/JS". Shortens runs of slashes, which
    would slow down searches. Raises _Opaque."""
    hashes = data.count(b"#")
    if hashes > budget.escapes + len(data) // _MAX_SHARE_OF_HASHES:
        raise _Opaque
    plain = data
    if hashes:
        plain, count = _ESCAPE.subn(
            lambda found: bytes.fromhex(found[1].decode()), data, budget.escapes + 1
        )
        if count > budget.escapes:
            raise _Opaque
        budget.escapes -= count
    if b"//" not in plain:
        return plain
    return b"".join(
        _shortened(plain[start : start + _WINDOW]) for start in range(0, len(plain), _WINDOW)
    )


def _shortened(window: bytes) -> bytes:
    while b"//" in window:
        window = window.replace(b"//", b"/")
    return window


def _outside_streams(data: bytes, budget: InflateBudget) -> bytes:
    """Return the data outside streams, with any unterminated stream. Raises _Opaque."""
    # Each stream contains the word twice.
    streams = data.count(b"stream") // 2
    if streams > budget.streams:
        raise _Opaque
    budget.streams -= streams
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
    """Yield the content of each object stream in `plain`, the data with decoded names, in one pass.

    Raises _Opaque for a stream with an escaped name, beyond the budget, or with a filter other than
    deflation.
    """
    streams = plain.count(b"/ObjStm")
    if streams > budget.object_streams:
        raise _Opaque
    budget.object_streams -= streams
    if len(_OBJECT_STREAM.findall(plain)) != len(_OBJECT_STREAM.findall(data)):
        raise _Opaque
    place = 0
    while (named := _OBJECT_STREAM.search(data, place)) is not None:
        stream_start = _STREAM.search(data, named.end())
        if stream_start is None or stream_start.start() - named.end() > _MAX_DICTIONARY:
            raise _Opaque
        before = data[max(place, named.start() - _MAX_DICTIONARY) : named.start()]
        _check_dictionary(before, data[named.start() : stream_start.start()])
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


def _check_dictionary(before: bytes, rest: bytes) -> None:
    """Raise _Opaque unless the dictionary of an object stream has deflation as its only filter.

    `before` precedes the name /ObjStm, and `rest` starts with it. Only names and numbers are
    allowed, because a string or comment could imitate a stream.
    """
    starts = [found.end() for found in _OBJECT.finditer(before)]
    if not starts:
        raise _Opaque
    dictionary = before[starts[-1] :] + rest
    if _TEXT.search(dictionary) or len(_DEFLATED.findall(dictionary)) != 1:
        raise _Opaque
    names = _NAME.findall(dictionary)
    if not _STREAM_NAMES.issuperset(names) or names.count(b"/Filter") != 1:
        raise _Opaque
