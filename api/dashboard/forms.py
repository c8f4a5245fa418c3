"""Parse submitted forms: `application/x-www-form-urlencoded`, or `multipart/form-data` with a file.
Each field may occur once."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from api.http.client_address import limited_address
from api.http.json_body import MAX_BYTES, received
from domain.content.content import MAX_BODY
from domain.content.knowledge_file import MAX_FILE_CHARS
from domain.core.attached_file import AttachedFile
from domain.core.errors import InvalidBody, UnsupportedMediaType
from domain.core.plain_text import MAX_TEXT_CHARS
from domain.playbooks.file import MAX_FILE_BYTES

_FORM: Final = "application/x-www-form-urlencoded"
_UPLOAD: Final = "multipart/form-data"
_MAX_FIELDS: Final = 100
_MAX_FILES: Final = 1

SMALL_FORM: Final = 64 * 1024
"""Maximum length in bytes of a form that has no long texts, or whose sender is not signed in."""

MAX_FIELD: Final = 2 * MAX_BODY
"""Default maximum length of a form field, in characters. It exceeds the use cases' limits, so that
these explain a slightly longer text. A route can set a higher maximum for a field."""

LONG_FIELDS: Final[Mapping[str, int]] = {
    "file": MAX_BYTES,
    "text": MAX_FILE_CHARS,
    "yaml": MAX_FILE_BYTES,
    "draft": MAX_FILE_BYTES,
    "message": MAX_TEXT_CHARS,
}
"""Maximum length, in characters, of each long field that a draft may contain, by field name."""

_MAX_NAME: Final = 200
_NONE: Final[Mapping[str, int]] = {}

# A form of MAX_BYTES has at most this many valid escape sequences, of three characters each. The
# limit stops forms full of invalid sequences, which take longer to parse.
_MAX_ESCAPES: Final = MAX_BYTES // 3
# The limit is low because the time to parse a header is quadratic in its length.
_MAX_PART_HEADERS: Final = 1_000
_MAX_CONTENT_TYPE: Final = 200
_BOUNDARY: Final = re.compile(rb"[0-9A-Za-z'()+_,./:=?-]{1,70}")


async def read_form(
    request: Request, *, at_most: int = SMALL_FORM, long_fields: Mapping[str, int] = _NONE
) -> Mapping[str, str]:
    """Return a form's fields by name. `at_most` limits the form, and `long_fields` the fields
    longer than MAX_FIELD, in bytes and characters.

    Raises UnsupportedMediaType, InvalidBody and the errors of `received`. Repeated fields are
    rejected because two parsers might pick different values.
    """
    if _media_type(request) != _FORM:
        raise UnsupportedMediaType
    body = await _body(request, at_most)
    if body.count(b"%") > _MAX_ESCAPES:
        raise InvalidBody(f"plus de {_MAX_ESCAPES} séquences d'échappement")
    try:
        # Parsing a large form takes a tenth of a second, which would delay other requests.
        is_large = len(body) > SMALL_FORM
        pairs = await asyncio.to_thread(_pairs, body) if is_large else _pairs(body)
    except ValueError:  # Invalid UTF-8 is rejected too, because UnicodeDecodeError is a ValueError.
        raise InvalidBody("formulaire attendu") from None
    return _checked(pairs, long_fields)


def _pairs(body: bytes) -> list[tuple[str, str]]:
    return parse_qsl(
        body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
    )


async def read_upload(
    request: Request, *, at_most: int = SMALL_FORM, long_fields: Mapping[str, int] = _NONE
) -> tuple[Mapping[str, str], AttachedFile | None]:
    """Return the fields of a form, and its file, if any. Raises the errors of `read_form`."""
    if _media_type(request) != _UPLOAD:
        return await read_form(request, at_most=at_most, long_fields=long_fields), None
    boundary = _boundary(request)
    parts = [_part(part) for part in _split(await _body(request, at_most), boundary)]
    files = [file for _, file in parts if isinstance(file, AttachedFile)]
    if len(files) > _MAX_FILES:
        raise InvalidBody("plus d'un fichier")
    texts = [(name, value) for name, value in parts if isinstance(value, str)]
    fields = _checked(texts, long_fields)
    # A browser sends an empty file without a name if none was chosen.
    return fields, next((one for one in files if one.name or one.data), None)


async def read_text_upload(
    request: Request, *, at_most: int = SMALL_FORM, long_fields: Mapping[str, int] = _NONE
) -> Mapping[str, str]:
    """Return the fields of a form, with the text of its file as `file`. Office software also
    exports tables in encodings other than UTF-8. These encodings are accepted too. Raises the
    errors of `read_form`."""
    fields, file = await read_upload(request, at_most=at_most, long_fields=long_fields)
    if file is None:
        return fields
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = file.data.decode("cp1252", errors="replace")
    return _checked([*fields.items(), ("file", text)], long_fields)


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def _boundary(request: Request) -> bytes:
    """Return the boundary of the parts. Raises InvalidBody if the boundary is missing or
    invalid."""
    content_type = request.headers["content-type"]
    named = parse_options_header(content_type)[1] if len(content_type) <= _MAX_CONTENT_TYPE else {}
    boundary = named.get(b"boundary", b"")
    if not _BOUNDARY.fullmatch(boundary):
        raise InvalidBody("formulaire attendu")
    return boundary


def _split(body: bytes, boundary: bytes) -> list[bytes]:
    """Return the parts of the body, each with its headers. Raises InvalidBody."""
    most = _MAX_FIELDS + _MAX_FILES
    start, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary, most + 2)
    end = parts.pop() if parts else b""
    if start or len(parts) > most or not end.startswith(b"--"):
        raise InvalidBody("formulaire attendu")
    return parts


def _part(part: bytes) -> tuple[str, str | AttachedFile]:
    """Return a part's name, and its text or file. Headers must be at its start because parsing one
    takes quadratic time. Raises InvalidBody."""
    head, blank, _ = part[:_MAX_PART_HEADERS].partition(b"\r\n\r\n")
    named = [line.partition(b":") for line in head.split(b"\r\n")[1:]]
    headers = {name.strip().lower(): value.strip() for name, _, value in named}
    kind, options = parse_options_header(headers.get(b"content-disposition"))
    if not blank or kind != b"form-data" or b"name" not in options:
        raise InvalidBody("formulaire attendu")
    content = part[len(head) + len(blank) :]
    try:
        name = options[b"name"].decode()
        if b"filename" not in options:
            return name, content.decode()
        file_name = options[b"filename"].decode()
    except UnicodeDecodeError:
        raise InvalidBody("formulaire attendu") from None
    return name, AttachedFile(
        file_name, headers.get(b"content-type", b"").decode("latin-1"), content
    )


async def _body(request: Request, at_most: int) -> bytes:
    if not hasattr(
        request.state, "caller"
    ):  # Concurrent bodies are counted by address, because the sender is not authenticated yet.
        request.state.caller = f"ip:{limited_address(request)}"
    return await received(request, at_most=at_most)


def _checked(pairs: Sequence[tuple[str, str]], long_fields: Mapping[str, int]) -> Mapping[str, str]:
    """Return the fields by name. Raises InvalidBody if a field is repeated or too long."""
    for name, text in pairs:
        limit = long_fields.get(name, MAX_FIELD)
        # Browsers send a line break as two characters. Only one of them counts toward the limit.
        if len(name) > _MAX_NAME or len(text) - text.count("\r\n") > limit:
            raise InvalidBody(f"champ « {name[:_MAX_NAME]} » : {limit} caractères au plus")
    fields = dict(pairs)
    if len(fields) != len(pairs) or any("\0" in text for pair in pairs for text in pair):
        raise InvalidBody("champ répété ou caractère NUL")
    return fields
