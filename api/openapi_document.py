"""The served OpenAPI document: FastAPI's document with named schemas, shared error responses, tags
and examples."""

import asyncio
import re
from copy import deepcopy
from http import HTTPStatus
from typing import Any, Final, cast

import orjson
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from api.openapi import NAME, SECURITY_SCHEMES, Described
from api.openapi_errors import describe_errors, example_of
from api.openapi_examples import Examples
from api.openapi_tags import tags_of

_SCHEMAS: Final = "#/components/schemas/"
_RESPONSES: Final = "#/components/responses/"
_YAML: Final = "application/yaml"
_SUFFIXES: Final = ("", "Input", "Yaml", "Input2", "Input3")
"""Suffixes of a model's name whose schema in a request differs from the one in a response."""

_ABOUT: Final = """\
**The guide** at `/docs/guide/` has examples, and explains the clients for Python and TypeScript.

Programs authenticate with an API key, as `Authorization: Bearer ak_…`. The dashboard's operations,
under `/api/dashboard/`, accept only the session token of a signed-in user.

**Errors** have one form, `ErrorBody`. Rely on its `code`, not on its text. New codes and new fields
may be added without notice, so ignore fields and codes that you do not know.

**Times** are RFC 3339 texts in UTC with milliseconds, such as `2026-11-24T16:00:00.000Z`. Requests
may use any offset and precision. Days are `YYYY-MM-DD`, in UTC.

**Pages**: a list that may be long has the parameters `limit` and `cursor`, and the field
`next_cursor`. Pass `next_cursor` as `cursor` to get the next page; null means that there are no
more pages. Lists without these parameters are complete.

**Retries**: after 429 or 503, wait for the seconds in `Retry-After`. Send an `Idempotency-Key` with
`gateway.push`, so that a repeated request returns the first answer.
"""

# The pattern matches the Python value, not the pronoun in "None of them".
_NONE: Final = re.compile(r"\bNone\b(?! of)")
_MAPS: Final = frozenset({"properties", "patternProperties", "$defs"})
_DATA: Final = frozenset({"default", "const", "enum", "example", "examples"})


def serve_document(app: FastAPI) -> None:
    """Serve the OpenAPI document, also as `app.openapi()`.

    Generating it takes seconds of CPU, so it is done in a thread at the first request, and cached.
    FastAPI's own route would block the event loop.
    """
    generate, writing = app.openapi, asyncio.Lock()
    documents: list[Described] = []
    kept: list[bytes] = []

    def document() -> Described:
        if not documents:
            documents.append(_finished(generate()))
        return documents[0]

    async def serve(_: Request) -> Response:
        async with writing:
            if not kept:
                kept.append(await asyncio.to_thread(lambda: orjson.dumps(document())))
        return Response(kept[0], media_type="application/json")

    vars(app)["openapi"] = document
    place = str(app.openapi_url)
    routes = app.router.routes
    routes[:] = [route for route in routes if getattr(route, "path", None) != place]
    app.add_route(place, serve, include_in_schema=False)


def _finished(generated: dict[str, Any]) -> Described:
    """Return the document as served. `generated`: FastAPI's document, which does not change."""
    document = deepcopy(generated)
    components = document.setdefault("components", {})
    schemas: dict[str, Any] = components.setdefault("schemas", {})
    for name in [*schemas]:
        schemas[name] = _with_names(schemas[name], schemas)
    operations = [one for path in document["paths"].values() for one in path.values()]
    for operation in operations:
        for media, content in operation.get("requestBody", {"content": {}})["content"].items():
            _name_body(content, schemas, is_yaml=media == _YAML)
        for parameter in operation.get("parameters", ()):
            parameter["schema"] = _without_titles(_with_names(parameter["schema"], schemas))
    describe_errors(schemas)
    components["schemas"] = {name: _without_titles(schemas[name]) for name in sorted(schemas)}
    _add_examples(operations, components["schemas"])
    components["responses"] = _shared_responses(operations)
    components["securitySchemes"] = SECURITY_SCHEMES
    document["info"]["description"] = _ABOUT
    document["tags"] = tags_of(operations)
    return cast("Described", _in_json_words(document))


def _with_names(part: object, schemas: dict[str, Any], *, is_yaml: bool = False) -> Any:
    """Return a part of a schema in which each named schema is a reference to its component. Adds
    the components to `schemas`."""
    if isinstance(part, list):
        return [_with_names(one, schemas, is_yaml=is_yaml) for one in part]
    if not isinstance(part, dict):
        return part
    inner = {key: _with_names(one, schemas, is_yaml=is_yaml) for key, one in part.items()}
    match inner:
        case {"allOf": [{"$ref": str() as reference}], **rest}:
            return {"$ref": reference, **rest}
    name = inner.pop(NAME, None)
    if name is None:
        return inner
    return {"$ref": f"{_SCHEMAS}{_component(name, inner, schemas, is_yaml=is_yaml)}"}


def _component(name: str, schema: dict[str, Any], schemas: dict[str, Any], *, is_yaml: bool) -> str:
    """Store the schema under a free name, and return the name. A model that FastAPI has described
    for a response keeps its name, unless the request's schema differs."""
    for suffix in ("", "Yaml") if is_yaml else _SUFFIXES:
        taken = schemas.setdefault(f"{name}{suffix}", schema)
        if _without_titles(taken) == _without_titles(schema):
            return f"{name}{suffix}"
    raise ValueError(f"too many different schemas named {name}")


def _name_body(content: dict[str, Any], schemas: dict[str, Any], *, is_yaml: bool) -> None:
    content["schema"] = _with_names(content["schema"], schemas, is_yaml=is_yaml)


def _without_titles(part: object, *, is_map: bool = False) -> Any:
    """Return a schema without the titles that Pydantic derives from names. `is_map` means that the
    keys of `part` are field names."""
    if isinstance(part, list):
        return [_without_titles(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: one if key in _DATA and not is_map else _without_titles(one, is_map=key in _MAPS)
        for key, one in part.items()
        if is_map or key != "title"
    }


def _add_examples(operations: list[dict[str, Any]], schemas: dict[str, Any]) -> None:
    """Add an example to each schema that is a request or a response as a whole."""
    examples = Examples(schemas)
    for operation in operations:
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for answer in (*bodies, *operation["responses"].values()):
            for media, content in answer.get("content", {}).items():
                examples.add(media, content)


def _shared_responses(operations: list[dict[str, Any]]) -> dict[str, Any]:
    """Replace the operations' error responses with references, and return the responses by name.
    Most operations have the same dozen error responses."""
    shared: dict[str, Any] = {}
    for operation in operations:
        answers = operation["responses"]
        for status in [one for one in answers if int(one) >= 400]:
            base = _base_name(int(status))
            content = answers[status]["content"]["application/json"]
            if content["schema"] == {"$ref": f"{_SCHEMAS}ErrorBody"}:
                content["example"] = example_of(int(status))
            name, number = base, 1
            while shared.setdefault(name, answers[status]) != answers[status]:
                number += 1
                name = f"{base}{number}"
            answers[status] = {"$ref": f"{_RESPONSES}{name}"}
    return {name: shared[name] for name in sorted(shared)}


def _base_name(status: int) -> str:
    return "".join(word.capitalize() for word in re.split(r"\W+", HTTPStatus(status).phrase))


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
