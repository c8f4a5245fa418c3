"""Strict parsing of JSON bodies, and serialization of JSON responses."""

import asyncio
import json
from collections.abc import Iterable
from datetime import date, datetime, time
from typing import Final, TypeVar

import orjson
from pydantic import BaseModel, JsonValue, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from domain.core.errors import BodyTooLarge, BodyTooSlow, InvalidBody, UnsupportedMediaType
from domain.core.json_size import exceeds_values
from domain.core.json_time import rfc3339
from services.core.concurrent_callers import ConcurrentCallers
from services.core.fair_room import FairRoom, RoomShare

M = TypeVar("M", bound=BaseModel)

JSON: Final = "application/json"
YAML: Final = "application/yaml"
MAX_BYTES: Final = 1024 * 1024
MAX_SECONDS: Final = 10.0
MAX_COMING: Final = 64
"""Maximum number of request bodies in transit for one caller at the same time. They occupy at most
64 MiB in total."""
MAX_UPLOADS: Final = 64 * 1024 * 1024
"""Maximum memory, in bytes, for the request bodies in transit that contain files."""
MAX_UPLOADS_OF_ONE: Final = 16 * 1024 * 1024
"""Maximum part of MAX_UPLOADS for one caller."""
MAX_DEPTH: Final = 32
MAX_VALUES: Final = 10_000
MAX_KEY: Final = 256
_INT64: Final = range(-(2**63), 2**63)
_UTF_8: Final = ("charset=utf-8", 'charset="utf-8"', "charset=utf8", 'charset="utf8"')


def json_response(content: object, *, status: int = 200) -> Response:
    """Return a response with the content as JSON."""
    return Response(json_bytes(content), status_code=status, media_type="application/json")


def json_bytes(content: object) -> bytes:
    """Return the content as JSON, with times in UTC and milliseconds. The content consists of the
    values that Pydantic returns in Python mode."""
    return orjson.dumps(
        content, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS
    )


def _plain(value: object) -> object:
    match value:
        case datetime():
            return rfc3339(value)
        case date() | time():
            return value.isoformat()
        case set() | frozenset():
            return [*value]
        case _:
            return str(value)


async def read_body(request: Request, *, seconds: float = MAX_SECONDS, also: str = JSON) -> bytes:
    """Return an authenticated caller's raw body, which must arrive within `seconds`.

    `also` is another accepted media type. Headers are checked first, so a caller that sends
    `Expect: 100-continue` never sends a rejected body. Raises UnsupportedMediaType, BodyTooLarge,
    CallerBusy, BodyTooSlow, InvalidBody.
    """
    if media_type_of(request) not in (JSON, also):
        raise UnsupportedMediaType
    return await received(request, seconds=seconds)


async def received(
    request: Request, *, seconds: float = MAX_SECONDS, at_most: int = MAX_BYTES
) -> bytes:
    """Return the raw body, regardless of its media type. Raises BodyTooLarge, CallerBusy,
    BodyTooSlow, InvalidBody."""
    announced_length(request, at_most=at_most)
    coming: ConcurrentCallers[str] = request.app.state.resources.bodies
    # A body that arrived together with the request head is read without waiting, so it never
    # occupies a slot for bodies in transit.
    with coming.join(request.state.caller):
        if at_most <= MAX_BYTES:
            return await body_within(request, at_most=at_most, seconds=seconds)
        uploads: FairRoom = request.app.state.resources.uploads
        with uploads.place(request.state.caller) as place:
            return await body_within(request, at_most=at_most, seconds=seconds, place=place)


async def body_within(
    request: Request,
    *,
    at_most: int,
    seconds: float,
    place: RoomShare | None = None,
) -> bytes:
    """Return the raw body, limited to `at_most` bytes and `seconds`.

    `place` reserves memory for the bytes received, regardless of the announced length. Other bodies
    can take it over until this one is complete. Raises BodyTooLarge, BodyTooSlow, InvalidBody, and
    the reservation's errors.
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
    """Return the raw body like `read_body`, or an empty JSON object if the body is omitted."""
    headers = request.headers
    if "transfer-encoding" not in headers and headers.get("content-length", "0") == "0":
        return b"{}"
    return await read_body(request)


def announced_length(request: Request, *, at_most: int) -> int:
    """Return the announced length of the body in bytes, or 0. Raises BodyTooLarge above `at_most`.
    The announced length cannot be trusted, so callers must also count the bytes received."""
    try:
        length = int(request.headers.get("content-length", "0"))
    except ValueError:
        return 0
    if length > at_most:
        raise BodyTooLarge
    return max(0, length)


def media_type_of(request: Request) -> str:
    """Return the body's media type. Raises UnsupportedMediaType unless the body is UTF-8 without
    content coding. Repeated headers are rejected because parsers might differ."""
    codings = [coding.lower() for coding in request.headers.getlist("content-encoding")]
    if codings not in ([], ["identity"]):
        raise UnsupportedMediaType
    content_types = request.headers.getlist("content-type")
    if len(content_types) != 1:
        raise UnsupportedMediaType
    media_type, *parameters = content_types[0].lower().split(";")
    # The value may end with a semicolon because RFC 9110 allows empty parameters.
    if any(one.strip() not in ("", *_UTF_8) for one in parameters):
        raise UnsupportedMediaType
    return media_type.strip()


def parse_object(body: bytes, *, most_values: int = MAX_VALUES) -> dict[str, JsonValue]:
    """Return the JSON object of a body, parsed strictly. Raises InvalidBody, also for more than
    `most_values` values.

    orjson rejects NaN, bad UTF-8 and lone surrogates, and the second parser rejects repeated keys
    and huge integers. Values are counted first because both parsers are slow for many values and
    orjson drops the values of repeated keys.
    """
    # The estimate rejects most bodies with too many values. `_check_values` counts exactly.
    if exceeds_values(body, most_values):
        raise InvalidBody(f"plus de {most_values} valeurs")
    try:
        loose: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidBody("JSON UTF-8 attendu") from None
    if not isinstance(loose, dict):
        raise InvalidBody("objet JSON attendu")
    _check_values(loose, most_values)
    # Free the text before the second parser runs because keeping both would double the memory use.
    del loose
    strict: dict[str, JsonValue] = json.loads(
        body, object_pairs_hook=_unique_keys, parse_int=_bounded_int
    )
    return strict


def parse_body(model: type[M], body: bytes, *, most_values: int = MAX_VALUES) -> M:
    """Return the body, parsed strictly and validated against `model`. Raises InvalidBody, including
    for a field that `model` does not define."""
    try:
        return model.model_validate(parse_object(body, most_values=most_values))
    except ValidationError as error:
        raise InvalidBody(_rule_broken(error)) from None


def _rule_broken(error: ValidationError) -> str:
    """Return a message that identifies the invalid field, if it is known. Pydantic's own message is
    not used, because it would repeat the input."""
    first = error.errors()[0]
    return "champ inconnu" if first["type"] == "extra_forbidden" else f"champ « {first['loc'][0]} »"


def _check_values(root: dict[str, JsonValue], most_values: int) -> None:
    """Check the depth, number of values, key lengths and absence of NUL, level by level. Raises
    InvalidBody. Without recursion, an untrusted body cannot overflow the stack."""
    values = 0
    level: list[dict[str, JsonValue] | list[JsonValue]] = [root]
    for _ in range(MAX_DEPTH):
        values += sum(map(len, level))
        if values > most_values:
            raise InvalidBody(f"plus de {most_values} valeurs")
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
    """Return the values in a container after checking its keys. Raises InvalidBody if a key is
    invalid."""
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
    # A 64-bit integer has at most 20 characters. Longer numbers are rejected without conversion,
    # because converting a very long number is slow.
    if len(digits) > 20 or int(digits) not in _INT64:
        raise InvalidBody("entier de plus de 64 bits")
    return int(digits)
