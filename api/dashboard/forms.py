"""Parse submitted forms. They are `application/x-www-form-urlencoded`, or `multipart/form-data` for
a form with a file. Each field may occur at most once."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from api.http.client_address import limited_address
from api.http.json_body import MAX_BYTES, received
from domain.core.errors import InvalidBody, UnsupportedMediaType

_FORM: Final = "application/x-www-form-urlencoded"
_UPLOAD: Final = "multipart/form-data"
_MAX_FIELDS: Final = 100
_MAX_FILES: Final = 1

SMALL_FORM: Final = 64 * 1024
"""Maximum length in bytes of a form that has no long texts, or whose sender is not signed in."""

# A valid escape sequence has three characters. Invalid sequences cost more parsing time.
_MAX_ESCAPES: Final = MAX_BYTES // 3
# The limit is low, because a library's parsing time is quadratic in the length of a header.
_MAX_PART_HEADERS: Final = 1_000
_MAX_CONTENT_TYPE: Final = 200
_BOUNDARY: Final = re.compile(rb"[0-9A-Za-z'()+_,./:=?-]{1,70}")


async def read_form(request: Request, *, at_most: int = SMALL_FORM) -> Mapping[str, str]:
    """Return the fields by name of a form of at most this many bytes.

    Raises UnsupportedMediaType, InvalidBody and the errors of `received`. A repeated field raises
    InvalidBody, because two parsers might pick different values.
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
    return _once_each(pairs)


def _pairs(body: bytes) -> list[tuple[str, str]]:
    return parse_qsl(
        body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
    )


async def read_upload(request: Request, *, at_most: int = SMALL_FORM) -> Mapping[str, str]:
    """Return the fields of a form that may contain a file. The file's text becomes the value of its
    field. Raises the errors of `read_form`."""
    if _media_type(request) != _UPLOAD:
        return await read_form(request, at_most=at_most)
    boundary = _boundary(request)
    body = await _body(request, at_most)
    _check_parts(body, boundary)

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    # The sender's other parameters are omitted, because `charset` may name an expensive codec.
    headers = Headers({"content-type": f'{_UPLOAD}; boundary="{boundary.decode()}"'})
    parser = MultiPartParser(
        headers,
        stream(),
        max_files=_MAX_FILES,
        max_fields=_MAX_FIELDS,
        max_part_size=MAX_BYTES,
    )
    try:
        form = await parser.parse()
        pairs = [
            (name, value if isinstance(value, str) else _text(await value.read()))
            for name, value in form.multi_items()
        ]
        await form.close()
    except (MultiPartException, ValueError):
        raise InvalidBody("formulaire attendu") from None
    return _once_each(pairs)


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


def _check_parts(body: bytes, boundary: bytes) -> None:
    """Check the number of parts and the length of their headers, before a library parses them.
    Raises InvalidBody."""
    most = _MAX_FIELDS + _MAX_FILES
    start, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary, most + 2)
    end = parts.pop() if parts else b""
    if (
        start
        or len(parts) > most
        or not end.startswith(b"--")
        or any(b"\r\n\r\n" not in part[:_MAX_PART_HEADERS] for part in parts)
    ):
        raise InvalidBody("formulaire attendu")


async def _body(request: Request, at_most: int) -> bytes:
    if not hasattr(
        request.state, "caller"
    ):  # Concurrent bodies are counted by address, because the sender is not authenticated yet.
        request.state.caller = f"ip:{limited_address(request)}"
    return await received(request, at_most=at_most)


def _text(content: bytes) -> str:
    """Return the text of a file. Encodings other than UTF-8 are also accepted, because office
    software often uses them when exporting tables. Raises ValueError if the file cannot be decoded.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def _once_each(pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    fields = dict(pairs)
    if len(fields) != len(pairs) or any("\0" in text for pair in pairs for text in pair):
        raise InvalidBody("champ répété ou caractère NUL")
    return fields
