"""JSON on the wire: one strict way in, one way out."""

import asyncio
import json
from collections.abc import Iterable
from typing import Final, TypeVar

import orjson
from pydantic import BaseModel, JsonValue, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from domain.core.errors import BodyTooLarge, BodyTooSlow, InvalidBody, UnsupportedMediaType
from services.core.crowd import Crowd
from services.core.fair_room import RoomShare

M = TypeVar("M", bound=BaseModel)

JSON: Final = "application/json"
YAML: Final = "application/yaml"
MAX_BYTES: Final = 1024 * 1024
MAX_SECONDS: Final = 10.0
MAX_COMING: Final = 64
"""Bodies of one caller that may arrive at the same time: 64 MiB at most."""
MAX_DEPTH: Final = 32
MAX_VALUES: Final = 10_000
MAX_KEY: Final = 256
_INT64: Final = range(-(2**63), 2**63)
_UTF_8: Final = ("charset=utf-8", 'charset="utf-8"', "charset=utf8", 'charset="utf8"')


def json_response(content: object, *, status: int = 200) -> Response:
    return Response(orjson.dumps(content), status_code=status, media_type="application/json")


async def read_body(request: Request, *, seconds: float = MAX_SECONDS, also: str = JSON) -> bytes:
    """The raw body, which must come within `seconds`. Who sends it has been authenticated before.
    `also`: a media type that the route takes beside JSON.

    Raises UnsupportedMediaType, BodyTooLarge, CallerBusy, BodyTooSlow, InvalidBody. What can be
    refused by the headers is refused before anything is read: a caller that sent
    `Expect: 100-continue` then sends nothing.
    """
    if media_type_of(request) not in (JSON, also):
        raise UnsupportedMediaType
    return await received(request, seconds=seconds)


async def received(request: Request, *, seconds: float = MAX_SECONDS) -> bytes:
    """The raw body of any type. Raises BodyTooLarge, CallerBusy, BodyTooSlow, InvalidBody."""
    announced_length(request, at_most=MAX_BYTES)
    coming: Crowd[str] = request.app.state.resources.bodies
    # A body that arrived with its head is read without a pause: it never counts beside another.
    with coming.join(request.state.caller):
        return await body_within(request, at_most=MAX_BYTES, seconds=seconds)


async def body_within(
    request: Request,
    *,
    at_most: int,
    seconds: float,
    place: RoomShare | None = None,
) -> bytes:
    """The raw body of at most so many bytes, within so many seconds. `place`: its part of a room.
    It grows with the bytes that came, not with those announced, and gives way until all came.

    Raises BodyTooLarge, BodyTooSlow, InvalidBody, and the refusal of the place.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(seconds) as deadline:
            if place is not None:
                place.may_give_way(lambda: deadline.reschedule(0))
            async for chunk in request.stream():
                body += chunk
                if len(body) > at_most:
                    raise BodyTooLarge
                if place is not None:
                    place.grow(len(body))
            if place is not None:
                place.settle()
    except TimeoutError:
        if place is not None:
            place.check_kept()
        raise BodyTooSlow from None
    except ClientDisconnect:
        raise InvalidBody("connexion interrompue") from None
    return bytes(body)


async def read_optional_body(request: Request) -> bytes:
    """The same where the body may be left out, which is as good as an empty object."""
    headers = request.headers
    if "transfer-encoding" not in headers and headers.get("content-length", "0") == "0":
        return b"{}"
    return await read_body(request)


def announced_length(request: Request, *, at_most: int) -> int:
    """Return the announced length of the body in bytes, or 0 if none is announced. Raises
    BodyTooLarge. The announcement is not trusted: received bytes are counted as well."""
    try:
        length = int(request.headers.get("content-length", "0"))
    except ValueError:
        return 0
    if length > at_most:
        raise BodyTooLarge
    return max(0, length)


def media_type_of(request: Request) -> str:
    """Check that the body is UTF-8 and has no content coding. Raises UnsupportedMediaType
    otherwise.

    A repeated header is refused: two readers might not take the same one.
    """
    codings = [coding.lower() for coding in request.headers.getlist("content-encoding")]
    if codings not in ([], ["identity"]):
        raise UnsupportedMediaType
    content_types = request.headers.getlist("content-type")
    if len(content_types) != 1:
        raise UnsupportedMediaType
    media_type, *parameters = content_types[0].lower().split(";")
    # RFC 9110 lets a parameter be empty, so a semicolon may stand at the end.
    if any(one.strip() not in ("", *_UTF_8) for one in parameters):
        raise UnsupportedMediaType
    return media_type.strip()


def parse_object(body: bytes) -> dict[str, JsonValue]:
    """Return the JSON object of a body, parsed strictly. Raises InvalidBody.

    orjson refuses invalid JSON (NaN, bad UTF-8, lone surrogates). The second parser finds what
    orjson accepts: repeated keys, and integers that it would turn into floats. Both are slow for
    many values, and the first drops the values of repeated keys, so the values are counted first.
    """
    _check_size(body)
    try:
        loose: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidBody("JSON UTF-8 attendu") from None
    if not isinstance(loose, dict):
        raise InvalidBody("objet JSON attendu")
    _check_values(loose)
    del loose  # both at once would be twice the memory
    strict: dict[str, JsonValue] = json.loads(
        body, object_pairs_hook=_unique_keys, parse_int=_bounded_int
    )
    return strict


def parse_body(model: type[M], body: bytes) -> M:
    """The fields of a body, none that `model` does not know. Raises InvalidBody."""
    try:
        return model.model_validate(parse_object(body))
    except ValidationError as error:
        raise InvalidBody(_rule_broken(error)) from None


def _rule_broken(error: ValidationError) -> str:
    """Only the name of a field that we know: pydantic's own text would repeat what was sent."""
    first = error.errors()[0]
    return "champ inconnu" if first["type"] == "extra_forbidden" else f"champ « {first['loc'][0]} »"


def _check_size(body: bytes) -> None:
    """Refuse most bodies with too many values before anything is built from them.

    The count never exceeds the real number. A comma follows every value but the last of its
    container. Every container but the outermost is a value. A value has at most two strings, itself
    and its key. `_check_values` counts exactly.
    """
    text = body.replace(rb"\\", b"").replace(rb"\"", b"")
    quotes = text.count(b'"')
    if quotes <= 4 * MAX_VALUES:
        outside = b"".join(text.split(b'"')[::2])  # of strings
        openings = outside.count(b"[") + outside.count(b"{")
        if max(outside.count(b","), openings - 1) <= MAX_VALUES:
            return
    raise InvalidBody(f"plus de {MAX_VALUES} valeurs")


def _check_values(root: dict[str, JsonValue]) -> None:
    """Depth, number, length of keys and NUL, level by level: the body is not trusted.

    One plain loop without recursion: everybody waits while it runs.
    """
    values = 0
    level: list[dict[str, JsonValue] | list[JsonValue]] = [root]
    for _ in range(MAX_DEPTH):
        values += sum(map(len, level))
        if values > MAX_VALUES:
            raise InvalidBody(f"plus de {MAX_VALUES} valeurs")
        deeper: list[dict[str, JsonValue] | list[JsonValue]] = []
        for container in level:
            for value in _inside(container):
                if isinstance(value, str):
                    _refuse_nul(value)
                elif isinstance(value, dict | list):
                    deeper.append(value)
        level = deeper
    if level:
        raise InvalidBody(f"plus de {MAX_DEPTH} niveaux d'imbrication")


def _inside(container: dict[str, JsonValue] | list[JsonValue]) -> Iterable[JsonValue]:
    """Return the values of a container after checking its keys."""
    if isinstance(container, list):
        return container
    for key in container:
        if len(key) > MAX_KEY:
            raise InvalidBody(f"clé de plus de {MAX_KEY} caractères")
        _refuse_nul(key)
    return container.values()


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        raise InvalidBody("caractère NUL")


def _unique_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise InvalidBody("clé répétée")
    return unique


def _bounded_int(digits: str) -> int:
    # 20 characters hold every 64-bit integer; longer ones need no conversion to be refused.
    if len(digits) > 20 or int(digits) not in _INT64:
        raise InvalidBody("entier de plus de 64 bits")
    return int(digits)
