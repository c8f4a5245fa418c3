"""Routes whose OpenAPI description is derived from their dependencies.

FastAPI reads and leniently validates the body before any dependency runs. Here, the body is a
dependency, parsed strictly after authentication. A caller can delay the body, so permissions are
resolved again once it has arrived (docs/decisions/0125). `DescribedRoute` adds each dependency's
input to the document.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cache, partial
from typing import Any, Generic, TypeVar, get_type_hints

from fastapi import Request
from fastapi._compat import ModelField
from fastapi.params import Depends as Dependency
from fastapi.routing import APIRoute, _effective_route_context_var
from pydantic import BaseModel
from starlette.responses import Response

from api.http.json_body import MAX_VALUES, json_bytes, parse_body, read_body, read_optional_body
from api.http.query import parse_query
from api.openapi import (
    LIMIT_HEADERS,
    RETRY_AFTER,
    UNAUTHENTICATED,
    Described,
    path_parameter,
    query_parameters,
    request_body,
)
from api.schemas.core.error import ErrorBody
from domain.core.errors import DomainError
from domain.core.ids import parse_ulid

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


class Part:
    """A dependency that describes its input and errors in the OpenAPI document. `refusals` are
    additional errors of a dependency that authenticates the caller. If `counted` is true, responses
    state the number of remaining requests."""

    parameters: Sequence[Described] = ()
    body: Described | None = None
    security: list[dict[str, list[str]]] | None = None
    refusals: tuple[int, ...] = (400, 403, 404)
    counted: bool = True
    errors: tuple[int, ...] = ()


class BodyPart(Part, Generic[T]):
    """A dependency that returns a route's parsed body. The body is parsed once per request.
    Subclasses implement `parse`."""

    async def parse(self, request: Request) -> T:
        """Read and parse the body."""
        raise NotImplementedError

    async def __call__(self, request: Request) -> T:
        if not hasattr(request.state, "parsed_body"):
            request.state.parsed_body = await self.parse(request)
        parsed: T = request.state.parsed_body
        return parsed


async def body_arrived(request: Request) -> bool:
    """Read and parse the body of the request's route, and return True. Return False if the route
    reads no body. Raises the errors of the body."""
    body = body_of(request.scope["endpoint"])
    if body is None:
        return False
    await body(request)
    return True


async def resolved_with_body(request: Request, resolve: Callable[[], Awaitable[T]]) -> T:
    """Return the caller and the caller's permissions, as `resolve` returns them once the body has
    arrived.

    `resolve` also runs before the body is read, so that callers without the permission are rejected
    early. Meanwhile, the caller may lose the permission. Raises the errors of `resolve` and of the
    route's body.
    """
    caller = await resolve()
    return await resolve() if await body_arrived(request) else caller


class JsonBody(BodyPart[M]):
    """A dependency that returns the strictly parsed body, of at most `most_values` values. If
    `optional` is true, a missing body is treated as an empty object. Raises UnsupportedMediaType,
    BodyTooLarge, BodyTooSlow, InvalidBody."""

    errors = (400, 408, 413, 415)

    def __init__(
        self, model: type[M], *, optional: bool = False, most_values: int = MAX_VALUES
    ) -> None:
        self._model = model
        self._most_values = most_values
        self._read = read_optional_body if optional else read_body
        self.body = request_body(model)

    async def parse(self, request: Request) -> M:
        body = await self._read(request)
        return parse_body(self._model, body, most_values=self._most_values)


class PathId(Part):
    """A dependency that returns a ULID from the path, in upper case. `name` is the parameter, and
    `what` the kind of record. Raises `missing` for another text."""

    errors = (404,)

    def __init__(self, name: str, what: str, missing: type[DomainError]) -> None:
        self._name = name
        self.missing = missing
        self.parameters = [path_parameter(name, what)]

    async def __call__(self, request: Request) -> str:
        found = parse_ulid(request.path_params[self._name])
        if found is None:
            raise self.missing
        return found


class StrictQuery(Part, Generic[M]):
    """A dependency that returns the query, validated against its model. Raises InvalidQuery if the
    query is invalid."""

    errors = (400,)

    def __init__(self, model: type[M]) -> None:
        self._model = model
        self.parameters = query_parameters(model)

    async def __call__(self, request: Request) -> M:
        return parse_query(self._model, request.query_params)


class DescribedRoute(APIRoute):
    """A route that derives parameters, security and errors from its dependencies. Its tag is the
    first part of its operation id. Response times have milliseconds."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        parts = _parts(endpoint)
        if operation := options["operation_id"]:
            options["tags"] = [operation.partition(".")[0]]
        options["responses"] = {**_responses(parts, options), **(options["responses"] or {})}
        options["openapi_extra"] = {**_description(parts), **(options["openapi_extra"] or {})}
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        # FastAPI gives each inclusion of a route its own field. Pydantic would serialize times with
        # microseconds.
        for route in (self, _effective_route_context_var.get()):
            field = getattr(route, "response_field", None)
            if field is not None:
                vars(field)["serialize_json"] = partial(_written, field)
        return super().get_route_handler()


def _written(field: ModelField, value: object, **options: Any) -> bytes:
    return json_bytes(field.serialize(value, mode="python", **options))


def errors(*statuses: int) -> dict[int | str, Described]:
    """Return the descriptions of additional errors, for a route's `responses`."""
    return {status: {"model": ErrorBody, "headers": LIMIT_HEADERS} for status in statuses}


def _parts(endpoint: Callable[..., Any]) -> list[Part]:
    hints = get_type_hints(endpoint, include_extras=True)
    return [
        one.dependency
        for hint in hints.values()
        for one in getattr(hint, "__metadata__", ())
        if isinstance(one, Dependency) and isinstance(one.dependency, Part)
    ]


@cache
def body_of(endpoint: Callable[..., Any]) -> BodyPart[Any] | None:
    """Return the dependency for the body of an endpoint, or None if the endpoint reads no body."""
    return next((part for part in _parts(endpoint) if isinstance(part, BodyPart)), None)


def _responses(parts: list[Part], options: Mapping[str, Any]) -> dict[int | str, Described]:
    asking = [part for part in parts if part.security]
    if not asking:
        return {}
    statuses = {status for part in asking for status in part.refusals}
    statuses |= {status for part in parts for status in part.errors}
    left = LIMIT_HEADERS if all(part.counted for part in parts) else {}
    described_headers: Described = {"headers": left} if left else {}
    return {
        options["status_code"] or 200: described_headers,
        **{status: {"model": ErrorBody, **described_headers} for status in sorted(statuses)},
        **{status: {"model": ErrorBody} for status in (405, 500)},
        401: UNAUTHENTICATED,
        429: {"model": ErrorBody, "headers": {**left, **RETRY_AFTER}},
    }


def _description(parts: list[Part]) -> Described:
    described: Described = {}
    path_first = sorted(
        (one for part in parts for one in part.parameters), key=lambda one: one["in"] != "path"
    )
    if path_first:
        described["parameters"] = path_first
    for part in parts:
        if part.body is not None:
            described["requestBody"] = part.body
        if part.security is not None:
            described["security"] = part.security
    return described
