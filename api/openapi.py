"""Additions to the OpenAPI document. FastAPI cannot derive them, because the routes validate the
input without FastAPI."""

import asyncio
import re
from collections.abc import Mapping
from typing import Final, cast

import orjson
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from api.http.json_body import MAX_DEPTH, MAX_KEY, MAX_VALUES
from api.schemas.core.error import ErrorBody

Described = dict[str, object]
"""One response or parameter, as a dictionary in the format of FastAPI and OpenAPI."""

EDGE: Final[dict[int | str, Described]] = {
    431: {"model": ErrorBody, "description": "The request head exceeds 64 KiB or 100 headers."},
    503: {"model": ErrorBody, "description": "Too many connections."},
}
"""Responses that `api/http/protocol.py` may send on any route, before the application receives the
request."""

UNAUTHENTICATED: Final[Described] = {
    "model": ErrorBody,
    "headers": {"WWW-Authenticate": {"schema": {"const": "Bearer"}, "required": True}},
}
RETRY_AFTER: Final = {
    "Retry-After": {
        "schema": {"type": "integer", "minimum": 1},
        "description": "Number of seconds to wait before the next attempt.",
    }
}

_TEXT: Final = {"schema": {"type": "string"}}
LIMIT_HEADERS: Final = {
    "RateLimit-Policy": {**_TEXT, "description": 'Rate limit policy, such as `"usage";q=60;w=60`.'},
    "RateLimit": {
        **_TEXT,
        "description": (
            "Number of remaining requests, and seconds until another request is allowed."
        ),
    },
}

_SECURITY_SCHEMES: Final = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "API key (ak_ or mcp_ and 32 hexadecimal characters) or session JWT.",
    },
    "session": {"type": "http", "scheme": "bearer", "description": "Session JWT."},
    "engineSecret": {"type": "apiKey", "in": "header", "name": "x-engine-secret"},
    "internalSecret": {"type": "apiKey", "in": "header", "name": "x-internal-secret"},
    "widgetKey": {
        "type": "apiKey",
        "in": "query",
        "name": "api_key",
        "description": "The widget key (wk_ and 32 hexadecimal characters), or an API key.",
    },
}
EVERY_SCHEME: Final[list[dict[str, list[str]]]] = [
    {scheme: []} for scheme in ("bearer", "engineSecret", "internalSecret")
]
"""Security schemes of the gateway. The caller may use any of them."""

_NULL: Final = {"type": "null"}
# The pattern matches the Python value, not the pronoun in "None of them".
_NONE: Final = re.compile(r"\bNone\b(?! of)")
_NO_NUL: Final = {"pattern": "^[^\\u0000]*$"}
_NOT_BLANK: Final = r"\S"
_NOT_BLANK_WITHOUT_NUL: Final = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
_SHAPED: Final = frozenset({"pattern", "enum", "const", "format"})
"""JSON Schema keywords that already restrict a string's content. A string with one of these
keywords needs no additional pattern."""
_LIMITS: Final = {"ge": "minimum", "le": "maximum"}
"""JSON Schema keywords that correspond to Pydantic's numeric limits."""
_KEY: Final = {**_NO_NUL, "maxLength": MAX_KEY}

EXTRA_FIELD: Final = {"$ref": "#/components/schemas/Extra"}
"""Schema for the value of an unknown field in a gateway request, as accepted by
`api/http/json_body.py`."""

_EXTRA: Final = {
    "description": "Any JSON value without NUL and with integers of at most 64 bits. The entire "
    f"body may have at most {MAX_DEPTH} levels and {MAX_VALUES} values.",
    "anyOf": [
        {"type": "string", **_NO_NUL},
        {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
        {"type": "array", "items": EXTRA_FIELD},
        {"type": "object", "additionalProperties": EXTRA_FIELD, "propertyNames": _KEY},
    ],
}


def with_extra_fields(schema: dict[str, object], longest: Mapping[str, int]) -> dict[str, object]:
    """Return the schema of an object that may have additional fields. `longest`: the maximum
    lengths of additional text fields, in characters."""
    limited = {name: {**EXTRA_FIELD, "maxLength": length} for name, length in longest.items()}
    known = cast("dict[str, object]", schema["properties"])
    return {
        **schema,
        "properties": {**known, **limited},
        "additionalProperties": EXTRA_FIELD,
        "propertyNames": _KEY,
    }


SESSION: Final[list[dict[str, list[str]]]] = [{"session": []}]
"""Security of the dashboard's routes, which accept only the session tokens of signed-in users."""

BEARER: Final[list[dict[str, list[str]]]] = [{"bearer": []}]
"""Security of routes that accept API keys in addition to session tokens."""

WIDGET_KEY: Final[list[dict[str, list[str]]]] = [{"widgetKey": []}]
"""Security of the widget's routes, which accept the widget key."""

CLIENT_ID: Final[Described] = {
    "name": "client_id",
    "in": "query",
    "required": True,
    "description": "ULID of the client.",
    "schema": {"type": "string", "pattern": r"\S"},
    "example": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
}


def query_parameters(model: type[BaseModel]) -> list[Described]:
    """Return the parameters of a query that is validated by `model`. All of them are optional."""
    schema = model.model_json_schema(ref_template="{model}")
    kinds = schema.get("$defs", {})
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": described.pop("description", ""),
            "schema": _inlined(described, kinds),
        }
        for name, described in schema["properties"].items()
    ]


def request_body(model: type[BaseModel]) -> Described:
    """Return the OpenAPI description of a body that is validated by `model`. The body is optional
    if no field is required."""
    schema = in_one_piece(model)
    if not model.model_fields:
        schema["examples"] = [{}]
    return {
        "required": not schema.keys().isdisjoint({"required", "minProperties"}),
        "content": {"application/json": {"schema": schema}},
    }


def path_parameter(name: str, what: str) -> Described:
    """Return the description of a path parameter that is a ULID. `what`: the record type, such as
    webhook."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": f"ULID of the {what}.",
        "schema": {"type": "string"},
    }


def in_one_piece(model: type[BaseModel], *, is_cleaned: bool = False) -> Described:
    """Return a model's schema without references, because the OpenAPI document could not resolve
    them. The model must not contain itself.

    Strings exclude NUL, because `api/http/json_body.py` rejects NUL anywhere in a body.
    `is_cleaned`: NUL is removed instead of rejected, as in YAML.
    """
    schema = model.model_json_schema()
    kinds = cast("dict[str, Described]", schema.pop("$defs", {}))

    def whole(part: object) -> object:
        if isinstance(part, list):
            return [whole(one) for one in part]
        if not isinstance(part, dict):
            return part
        rest: Described = {
            _LIMITS.get(str(name), str(name)): whole(one)
            for name, one in part.items()
            if name != "$ref"
        }
        named = part.get("$ref")
        if isinstance(named, str):
            return {**cast("Described", whole(kinds[named.removeprefix("#/$defs/")])), **rest}
        if rest.get("pattern") == _NOT_BLANK and not is_cleaned:
            return {**rest, "pattern": _NOT_BLANK_WITHOUT_NUL}
        return {**_NO_NUL, **rest} if _is_free_text(rest) and not is_cleaned else rest

    return cast("Described", whole(schema))


def _is_free_text(schema: Described) -> bool:
    return schema.get("type") == "string" and _SHAPED.isdisjoint(schema)


def _inlined(schema: Described, kinds: Mapping[str, Described]) -> Described:
    """Return the schema without references and without null. In a query, a parameter is omitted
    instead of set to null."""
    options = [one for one in cast("list[Described]", schema.get("anyOf", ())) if one != _NULL]
    whole = [
        kinds[cast("str", one["$ref"])] if "$ref" in one else one for one in options or [schema]
    ]
    return whole[0] if len(whole) == 1 else {"anyOf": whole}


def serve_document(app: FastAPI) -> None:
    """Serve the OpenAPI document, with the security schemes and the schema for additional fields.

    Generating the document takes seconds of CPU time, which must not delay the start of the API.
    The document is generated in a thread at the first request, then cached. FastAPI's own route
    would generate the document on the event loop, which blocks other requests.
    """
    writing = asyncio.Lock()
    kept: list[bytes] = []

    async def serve(_: Request) -> Response:
        async with writing:
            if not kept:
                kept.append(await asyncio.to_thread(_written, app))
        return Response(kept[0], media_type="application/json")

    place = str(app.openapi_url)
    routes = app.router.routes
    routes[:] = [route for route in routes if getattr(route, "path", None) != place]
    app.add_route(place, serve, include_in_schema=False)


def _written(app: FastAPI) -> bytes:
    document = app.openapi()
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SECURITY_SCHEMES
    components.setdefault("schemas", {})["Extra"] = _EXTRA
    return orjson.dumps(_in_json_words(document))


def _in_json_words(part: object, key: str = "") -> object:
    """Return a part of the document with descriptions that say null instead of None. Many schemas
    are described by the docstrings of Python classes."""
    match part:
        case dict():
            return {name: _in_json_words(one, str(name)) for name, one in part.items()}
        case list():
            return [_in_json_words(one) for one in part]
        case str() if key == "description":
            return _NONE.sub(_null, part)
        case _:
            return part


def _null(found: re.Match[str]) -> str:
    before = found.string[: found.start()].rstrip()
    return "Null" if not before or before.endswith(".") else "null"
