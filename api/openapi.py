"""Additions to the OpenAPI document. FastAPI cannot derive them, because the routes validate the
input without FastAPI."""

from collections.abc import Mapping
from typing import Final, cast

from pydantic import BaseModel

from api.http.json_body import MAX_DEPTH, MAX_KEY, MAX_VALUES
from api.schemas.core.error import ErrorBody

Described = dict[str, object]
"""One response or parameter, as a dictionary in the format of FastAPI and OpenAPI."""

NAME: Final = "x-name"
"""Key for the name of a schema, from which `api/openapi_document.py` makes a component."""

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

SECURITY_SCHEMES: Final = {
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
_NO_NUL: Final = {"pattern": "^[^\\u0000]*$"}
_NOT_BLANK: Final = r"\S"
_NOT_BLANK_WITHOUT_NUL: Final = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
_SHAPED: Final = frozenset({"pattern", "enum", "const", "format"})
"""JSON Schema keywords that already restrict a string's content. A string with one of these
keywords needs no additional pattern."""
_LIMITS: Final = {"ge": "minimum", "le": "maximum"}
"""JSON Schema keywords that correspond to Pydantic's numeric limits."""
_KEY: Final = {**_NO_NUL, "maxLength": MAX_KEY}

FREE_FORM: Final = (
    "Additional fields accept any JSON value without NUL and with integers of at most 64 bits. The "
    f"entire body may have at most {MAX_DEPTH} levels and {MAX_VALUES} values."
)
"""Limits of `api/http/json_body.py` that a JSON Schema without recursion cannot express."""


def with_extra_fields(model: type[BaseModel], longest: Mapping[str, int]) -> Described:
    """Return the schema of an object that may have additional fields. `longest` are the maximum
    lengths of additional text fields, in characters."""
    schema = model.model_json_schema()
    known = cast("dict[str, object]", schema["properties"])
    return {
        **schema,
        NAME: model.__name__,
        "description": f"{schema['description']} {FREE_FORM}",
        "properties": {**known, **{name: {"maxLength": most} for name, most in longest.items()}},
        "additionalProperties": True,
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
    """Return the description of a path parameter that is a ULID. `what` is the record type, such as
    webhook."""
    return path_text(name, f"ULID of the {what}.")


def path_text(name: str, description: str) -> Described:
    """Return the description of a path parameter that is a text."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string"},
    }


def named(model: type[BaseModel]) -> Described:
    """Return a model's schema for a field that has its own description."""
    return {"allOf": [in_one_piece(model)]}


def in_one_piece(model: type[BaseModel], *, is_cleaned: bool = False) -> Described:
    """Return a model's schema without references. The model must not contain itself.

    Each model in it has the NAME of its component, which `api/openapi_document.py` replaces with a
    reference. Strings exclude NUL, as `api/http/json_body.py` does, unless `is_cleaned` removes it,
    as in YAML.
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
        reference = part.get("$ref")
        if isinstance(reference, str):
            name = reference.removeprefix("#/$defs/")
            kind = {**cast("Described", whole(kinds[name])), NAME: name.lstrip("_")}
            return {"allOf": [kind], **rest} if rest else kind
        if rest.get("pattern") == _NOT_BLANK and not is_cleaned:
            return {**rest, "pattern": _NOT_BLANK_WITHOUT_NUL}
        return {**_NO_NUL, **rest} if _is_free_text(rest) and not is_cleaned else rest

    return {**cast("Described", whole(schema)), NAME: model.__name__.lstrip("_")}


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
