"""Parse a JSON export file as a stream of records, in the memory of the largest record.

This module only finds where each record starts and ends. The section's model validates its content.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.exports.errors import InvalidExport
from domain.exports.export import Section
from domain.exports.record import Id, Record, Time
from domain.exports.records import RECORDS

MAX_RECORD_BYTES: Final = 1 << 28
"""Maximum size of a record, in bytes. PostgreSQL does not accept larger values."""

# Sections added in later versions. Export files from earlier versions lack them.
_ADDED: Final = (
    Section.AUDIT_ENTRIES,
    Section.ATTACHMENTS,
    Section.SAVED_CASES,
    Section.CORRECTIONS,
    Section.LABELLED_EXAMPLES,
    Section.RATINGS,
    Section.SHADOW_DRAFTS,
    Section.CONVERSATION_REPLIES,
    Section.CONVERSATION_NOTES,
)
_CHUNK_BYTES: Final = 1 << 18
_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb'"(?>[^"\\]++|\\.)*+"', re.DOTALL)
# Matches everything up to the next bracket outside a string. Possessive quantifiers prevent
# backtracking.
_TO_BRACKET: Final = re.compile(
    rb'(?>[^"{}\[\]]++|"(?>[^"\\]++|\\.)*+")*+(?P<bracket>[{}\[\]])', re.DOTALL
)
_ESCAPED_NUL: Final = r"\u0000"
_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
# Matches numbers that may be too large for a 64-bit float.
_MAYBE_INFINITE: Final = re.compile(r"[eE]\+?[0-9]{3}|[0-9]{300}")
_NO_JSON: Final = "no JSON: only an export in the form json can be imported"


class Stream(Protocol):
    """A binary file that is read in chunks."""

    def read(self, size: int = -1, /) -> bytes: ...


class ExportHead(BaseModel):
    """The values at the start of an export file, before the sections."""

    model_config = ConfigDict(frozen=True, strict=True, hide_input_in_errors=True)

    exported_at: Time
    client_id: Id


@dataclass(frozen=True, slots=True)
class RawRecord:
    """The unparsed JSON of a record. `number` counts from 1 within the section."""

    section: Section
    number: int
    text: str

    def check(self) -> Record:
        """Parse the record with its section's model and return the result. Raises InvalidExport if
        the record is invalid."""
        if _ESCAPED_NUL in self.text and _NUL.search(self.text):
            raise self.wrong("", "it holds the character NUL, which cannot be stored")
        try:
            record = RECORDS[self.section].model_validate_json(self.text)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
            why = first["msg"].removeprefix("Value error, ")
            raise self.wrong(".".join(map(str, first["loc"])), why) from None
        if _MAYBE_INFINITE.search(self.text) and _has_infinite(self.text):
            raise self.wrong("", "it holds a number that is too large to be read again")
        return record

    def wrong(self, path: str, why: str) -> InvalidExport:
        """Return an InvalidExport error about this record. `path`: the path of the invalid field
        within the record, or empty for the whole record."""
        field = f"{path}: " if path else ""
        return InvalidExport(f"{self.section}, record {self.number}: {field}{why}")


def _has_infinite(text: str) -> bool:
    """Return True if valid JSON contains a number that is too large for a float. PostgreSQL would
    store such a number, but this service could not read it back."""
    found = False

    def note(number: str) -> None:
        nonlocal found
        found = found or math.isinf(float(number))

    json.loads(text, parse_int=note, parse_float=note)
    return found


def read_export(stream: Stream) -> Iterator[ExportHead | RawRecord]:
    """Parse an export file: yield its head, then every record in file order.

    Raises InvalidExport if the file is truncated, is not JSON, or does not have the sections in the
    expected order.
    """
    text = _Text(stream)
    if text.next() != b"{":
        raise InvalidExport(_NO_JSON)
    text.take(b"{")
    yield _head(text)
    for section in Section:
        if section in _ADDED and text.next() == b"}":
            break  # A file from an earlier version ends before this section.
        text.take(b",")
        _expect(text, section)
        yield from _records(text, section)
    text.take(b"}", f"something stands behind {section}, which is the last section")
    if not text.at_end():
        raise InvalidExport("something stands behind the export")


def _head(text: "_Text") -> ExportHead:
    head: dict[str, str] = {}
    for name in ExportHead.model_fields:
        if head:
            text.take(b",")
        _expect(text, name)
        head[name] = text.string()
    try:
        return ExportHead.model_validate_json(json.dumps(head))
    except ValidationError as error:
        raise InvalidExport(f"{error.errors()[0]['loc'][0]}: no value that an export has") from None


def _expect(text: "_Text", name: str) -> None:
    found = text.string()
    if found != name:
        found_name = f", not {found}" if found in {*Section, *ExportHead.model_fields} else ""
        raise InvalidExport(f"{name} is expected here{found_name}")
    text.take(b":")


def _records(text: "_Text", section: Section) -> Iterator[RawRecord]:
    text.take(b"[", f"{section}: an array is expected")
    number = 0
    while text.next() != b"]":
        if number:
            text.take(b",")
        number += 1
        if text.next() != b"{":
            raise InvalidExport(f"{section}, record {number}: an object is expected")
        yield RawRecord(section, number, text.object())
    text.take(b"]")


class _Text:
    """The part of the file that is not parsed yet. All methods raise InvalidExport if the file ends
    too early."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._buffer = b""
        self._at = 0

    def next(self) -> bytes:
        """Return the next byte that is not whitespace, without consuming it."""
        while True:
            found = _SPACE.match(self._buffer, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            self._more()

    def take(self, mark: bytes, otherwise: str = _NO_JSON) -> None:
        if self.next() != mark:
            raise InvalidExport(otherwise)
        self._at += 1

    def string(self) -> str:
        if self.next() != b'"':
            raise InvalidExport(_NO_JSON)
        while (found := _STRING.match(self._buffer, self._at)) is None:
            self._more()
        self._at = found.end()
        try:
            return str(json.loads(found[0]))
        except ValueError:
            raise InvalidExport(_NO_JSON) from None

    def object(self) -> str:
        """Return the text of the JSON object that starts here, and skip it. Only the nesting of its
        brackets is checked."""
        depth, length = 0, 0
        while depth or not length:
            found = _TO_BRACKET.match(self._buffer, self._at + length)
            if found is None:
                self._more()
                continue
            depth += 1 if found["bracket"] in b"{[" else -1
            length = found.end() - self._at
        raw = self._buffer[self._at : self._at + length]
        self._at += length
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise InvalidExport(_NO_JSON) from None

    def at_end(self) -> bool:
        rest = self._buffer[self._at :]
        while not rest.strip() and (rest := self._stream.read(_CHUNK_BYTES)):
            pass
        return not rest

    def _more(self) -> None:
        """Read enough bytes to at least double the buffer, so that a long string is scanned only a
        few times."""
        rest = self._buffer[self._at :]
        if len(rest) > MAX_RECORD_BYTES:
            raise InvalidExport("a record is larger than any that an export has")
        read = self._stream.read(max(_CHUNK_BYTES, len(rest)))
        if not read:
            raise InvalidExport("the file is cut off: it ends before the export does")
        self._buffer, self._at = rest + read, 0
