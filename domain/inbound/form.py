"""Parse a body of type multipart/form-data or application/x-www-form-urlencoded.

Mail providers post emails as forms with text from strangers. The parser is therefore strict,
detects repeated fields, and takes linear time.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote_to_bytes

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest

MAX_PARTS: Final = 500
LINE_BYTES: Final = 8_000
"""Maximum number of bytes read from a single-line field."""

# The charsets that are decoded: those used in emails. Python also supports rarer charsets, but
# decoding some of them takes quadratic time.
_CHARSETS: Final = re.compile(
    r"utf-?8|utf-?16|us-ascii|iso-8859-\d{1,2}|windows-\d{3,4}|cp\d{3,4}|koi8-[rtu]|macintosh"
    r"|gb2312|gbk|gb18030|big5|big5-hkscs|euc-(?:jp|kr)|shift[_-]jis|iso-2022-(?:jp|kr)",
    re.IGNORECASE,
)

_MAX_NAME: Final = 200
# Maximum length of a header, in bytes. It is low because the library reads a header's parameters in
# quadratic time.
_MAX_HEADER: Final = 1_000
_MAX_PARAMETERS: Final = 20
_MULTIPART: Final = b"multipart/form-data"
_URLENCODED: Final = b"application/x-www-form-urlencoded"
# Number of characters of a percent-encoded byte, such as "%41".
_ENCODED: Final = 3


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file in a posted form. `filename`, `content_type`: as stated by the sender."""

    name: str
    filename: str
    content_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class PostedForm:
    """The fields of a posted form with all their values, and the files, both in order. `is_encoded`
    means that values are still percent-encoded."""

    fields: Mapping[str, tuple[bytes, ...]] = field(repr=False)
    files: tuple[FormFile, ...] = ()
    is_encoded: bool = False

    def text(self, name: str, limit: int = LINE_BYTES, *, charset: str = "utf-8") -> str | None:
        """Return the first value of a field, truncated to `limit` bytes, or None if the form lacks
        the field.

        Bytes that are invalid in the charset are replaced.
        """
        values = self.fields.get(name)
        if values is None:
            return None
        value = values[0][: limit * _ENCODED] if self.is_encoded else values[0]
        return _decoded((_unquoted(value) if self.is_encoded else value)[:limit], charset)

    def only(self, name: str) -> str | None:
        """Return the value of a field that occurs exactly once. Return None for a missing or
        repeated field."""
        return self.text(name) if self.came_once(name) else None

    def came_once(self, name: str) -> bool:
        """Return True if a field occurs exactly once. A repeated field cannot be trusted, because
        the email's sender may have added one of its values."""
        return len(self.fields.get(name, ())) == 1


def read_form(request: InboundRequest) -> PostedForm:
    """Parse the form in a request's body. Raises WebhookUnreadable."""
    kind, options = _options(request.headers.get("content-type", "").encode("latin-1", "replace"))
    if kind == _URLENCODED:
        return _urlencoded(request.body)
    if kind != _MULTIPART:
        raise WebhookUnreadable("not_a_form")
    return _multipart(request.body, options.get(b"boundary", b""))


def _urlencoded(body: bytes) -> PostedForm:
    if body.count(b"&") >= MAX_PARTS:
        raise WebhookUnreadable("form_too_many_parts")
    fields: dict[str, tuple[bytes, ...]] = {}
    for piece in body.split(b"&"):
        given, mark, value = piece.partition(b"=")
        if mark:
            name = _name(_unquoted(given[: _MAX_NAME * _ENCODED]))
            fields[name] = (*fields.get(name, ()), value)
    return PostedForm(fields, is_encoded=True)


def _multipart(body: bytes, boundary: bytes) -> PostedForm:
    """Parse a multipart body. Raises WebhookUnreadable.

    Every part must end with the boundary, and nothing may follow the closing one. A stranger's text
    could otherwise hide later fields.
    """
    line = b"\r\n--" + boundary
    ends_well = body.count(line + b"--") == 1 and body.rstrip(b"\r\n").endswith(line + b"--")
    if not boundary or not ends_well or body.count(line + b"\r\n") + 1 != body.count(line):
        raise WebhookUnreadable("form_broken")
    parts = _Parts()
    try:
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": parts.begin,
                "on_header_field": parts.header_name,
                "on_header_value": parts.header_value,
                "on_header_end": parts.header_end,
                "on_part_data": parts.data,
                "on_part_end": parts.end,
            },
        )
        parser.write(body)
    except FormParserError:
        raise WebhookUnreadable("form_broken") from None
    return PostedForm(parts.fields, tuple(parts.files))


class _Parts:
    """A collector of a multipart body's fields and files, filled by the parser's callbacks."""

    def __init__(self) -> None:
        self.fields: dict[str, tuple[bytes, ...]] = {}
        self.files: list[FormFile] = []
        self._count = 0
        self._headers: dict[str, bytes] = {}
        self._header = [b"", b""]
        self._data: list[bytes] = []

    def begin(self) -> None:
        self._count += 1
        if self._count > MAX_PARTS:
            raise WebhookUnreadable("form_too_many_parts")
        self._headers, self._header, self._data = {}, [b"", b""], []

    def header_name(self, data: bytes, start: int, end: int) -> None:
        self._header[0] += data[start:end]

    def header_value(self, data: bytes, start: int, end: int) -> None:
        self._header[1] += data[start:end]

    def header_end(self) -> None:
        name, value = self._header
        _check_header(value)
        if self._headers.setdefault(name.decode("latin-1").lower(), value) is not value:
            raise WebhookUnreadable("form_broken")
        self._header = [b"", b""]

    def data(self, data: bytes, start: int, end: int) -> None:
        self._data.append(data[start:end])

    def end(self) -> None:
        kind, options = _options(self._headers.get("content-disposition", b""))
        if kind != b"form-data" or b"name" not in options:
            raise WebhookUnreadable("form_broken")
        name = _name(options[b"name"])
        filename, content = options.get(b"filename"), b"".join(self._data)
        if filename is None:
            self.fields[name] = (*self.fields.get(name, ()), content)
            return
        content_type = _decoded(self._headers.get("content-type", b""), "iso-8859-1")
        self.files.append(FormFile(name, _decoded(filename, "utf-8"), content_type, content))


def _options(header: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """Return a header's value and parameters. Decodes it as latin-1, which accepts every byte.
    Raises WebhookUnreadable."""
    _check_header(header)
    return parse_options_header(header.decode("latin-1"))


def _check_header(header: bytes) -> None:
    if len(header) > _MAX_HEADER or header.count(b";") > _MAX_PARAMETERS:
        raise WebhookUnreadable("form_broken")


def _name(value: bytes) -> str:
    return _decoded(value[:_MAX_NAME], "utf-8")


def _unquoted(value: bytes) -> bytes:
    return unquote_to_bytes(value.replace(b"+", b" "))


def _decoded(value: bytes, charset: str) -> str:
    known = charset if _CHARSETS.fullmatch(charset) else "utf-8"
    try:
        return value.decode(known, errors="replace")
    except LookupError:
        return value.decode("utf-8", errors="replace")
