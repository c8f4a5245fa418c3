"""Parsing of submitted forms: `application/x-www-form-urlencoded` with each field at most once, or
`multipart/form-data` for a form with a file."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from api.http.client_address import limited_address
from api.http.json_body import MAX_BYTES, received
from domain.core.errors import InvalidBody, UnsupportedMediaType

_FORM: Final = "application/x-www-form-urlencoded"
_UPLOAD: Final = "multipart/form-data"
_MAX_FIELDS: Final = 100
_MAX_FILES: Final = 1


async def read_form(request: Request) -> Mapping[str, str]:
    """Return the form's fields by name.

    Raises UnsupportedMediaType, InvalidBody and the errors of `received`. A repeated field raises
    InvalidBody, because two parsers might pick different values.
    """
    if _media_type(request) != _FORM:
        raise UnsupportedMediaType
    body = await _body(request)
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except ValueError:  # also catches invalid UTF-8
        raise InvalidBody("formulaire attendu") from None
    return _once_each(pairs)


async def read_upload(request: Request) -> Mapping[str, str]:
    """Return the fields of a form that may contain a file. The text of the file becomes the value
    of the file's field. Raises the errors of `read_form`."""
    if _media_type(request) != _UPLOAD:
        return await read_form(request)
    body = await _body(request)

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    parser = MultiPartParser(
        request.headers,
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


async def _body(request: Request) -> bytes:
    if not hasattr(
        request.state, "caller"
    ):  # concurrent bodies are counted by address, because the sender is not authenticated yet
        request.state.caller = f"ip:{limited_address(request)}"
    return await received(request)


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
