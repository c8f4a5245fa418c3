"""Parse signed JSON bodies into models, with limits on size and depth."""

import re
from collections.abc import Iterator
from typing import Final, TypeVar
from urllib.parse import unquote_plus

import orjson
from pydantic import BaseModel, JsonValue, ValidationError

from domain.core.json_size import exceeds_values
from domain.inbound.errors import WebhookUnreadable

MAX_JSON: Final = 1024 * 1024
"""Maximum size of a JSON body, in bytes."""
MAX_MAIL_VALUES: Final = 20_000
"""Maximum number of values in a mail provider's JSON body. The limit rejects no email, because even
one with the maximum number of headers, recipients and files has fewer values."""
MAX_VALUES: Final = 50_000
"""Maximum number of values in the JSON body of a shop's or helpdesk's webhook. A large order has a
few thousand."""
MAX_DEPTH: Final = 64
_NUL: Final = rb"\u0000"
# The number of values above which `words_in` does not parse a body as JSON. A body of MAX_JSON
# bytes always has fewer values, so only larger bodies can exceed it.
_MOST_SEARCHED: Final = MAX_JSON
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")

M = TypeVar("M", bound=BaseModel)


def shaped(model: type[M], body: bytes) -> M:
    """Parse a JSON body into `model`, ignoring fields that the model lacks. Raises
    WebhookUnreadable."""
    check_values(body)
    try:
        return model.model_validate_json(body)
    except ValidationError:
        pass  # Raise outside the handler, because a chained ValidationError would quote the body.
    raise WebhookUnreadable("unknown_shape")


def check_values(body: bytes) -> None:
    """Raise WebhookUnreadable if a JSON body contains too many values. Each invalid value costs
    several times its own size."""
    if exceeds_values(body, MAX_VALUES):
        raise WebhookUnreadable("too_many_values")


def json_object(body: bytes) -> dict[str, JsonValue]:
    """Parse a JSON object of at most MAX_DEPTH levels. Raises WebhookUnreadable. Removes NUL
    characters, which PostgreSQL cannot store."""
    try:
        value: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise WebhookUnreadable("no_json") from None
    if not isinstance(value, dict):
        raise WebhookUnreadable("no_object")
    _check_depth(value)
    if _NUL not in body:
        return value
    return {key.replace("\0", ""): _without_nul(one) for key, one in value.items()}


def values_in(root: JsonValue) -> int:
    """Return the number of values in a JSON value, including nested values and the value itself."""
    count, waiting = 1, [root]
    while waiting:
        inside = _inside(waiting.pop())
        count += len(inside)
        waiting += inside
    return count


def words_in(body: bytes) -> str:
    """Return all text in a body of any format, for searching.

    JSON and form escapes are decoded first. A body with too many values is returned as one text.
    """
    has_many_values = exceeds_values(body, _MOST_SEARCHED)
    if not has_many_values:
        try:
            return "\n".join(_strings(orjson.loads(body)))
        except orjson.JSONDecodeError:
            pass
    text = body.decode(errors="replace")
    if has_many_values:
        text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    return f"{text}\n{unquote_plus(text)}" if "%40" in text else text


def _strings(root: JsonValue) -> Iterator[str]:
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from value
        waiting += _inside(value)


def _check_depth(root: JsonValue) -> None:
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [one for container in level for one in _inside(container)]
        if not level:
            return
    raise WebhookUnreadable("too_deep")


def _inside(value: JsonValue) -> list[JsonValue]:
    match value:
        case dict():
            return [*value.values()]
        case list():
            return value
        case _:
            return []


def _without_nul(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return value.replace("\0", "")
        case list():
            return [_without_nul(one) for one in value]
        case dict():
            return {key.replace("\0", ""): _without_nul(one) for key, one in value.items()}
        case _:
            return value
