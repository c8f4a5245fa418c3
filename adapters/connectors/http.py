"""HTTP calls to other systems' APIs. Each failure is raised as a domain error."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Final, TypeVar

import httpx
from annotated_types import MaxLen
from pydantic import BaseModel, FailFast, ValidationError

from adapters.webhooks.parsing_cost import BoundedTransport
from domain.core.errors import DomainError
from domain.core.json_size import exceeds_values
from domain.core.service_name import ServiceName
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    NotAuthorized,
)

CALL_S: Final = 8.0
"""Timeout for one connector call including all its requests, in seconds. It is below the activity's
timeout of 10 s."""
READ_S: Final = 3.0
"""Timeout for one read request within a connector call, in seconds. It leaves time for a write
after the read."""
MAX_BODY: Final = 1024 * 1024
"""Maximum size of a response, in bytes. No known response is longer."""

# Responses are requested uncompressed. A small compressed response could expand to any size before
# its length is checked.
IDENTITY: Final = "identity"
_UNNAMED: Final = ServiceName()

_CONNECT_S: Final = 3.0
_LONGEST_WAIT_S: Final = 24 * 3600.0
_GONE: Final = frozenset({404, 410})

Shape = TypeVar("Shape", bound=BaseModel)
Item = TypeVar("Item")
Rows = Annotated[tuple[Item, ...], FailFast(), MaxLen(1_000)]
"""A list in a response. Parsing stops at the first error, because a million errors of a hostile
response would take a gigabyte of memory."""
MAX_VALUES: Final = 100_000
"""Maximum number of values in a response. A page of 100 orders has about 20,000."""


class Conflict(ActionRefused):
    """HTTP 409: the object has changed since it was read. The request had no effect."""


def open_client(service: ServiceName = _UNNAMED) -> httpx.AsyncClient:
    """Return the process's HTTP client, to be closed with `aclose()`. It keeps no idle connections,
    because one that breaks during a write leaves its outcome unknown."""
    return httpx.AsyncClient(
        transport=BoundedTransport(),
        timeout=httpx.Timeout(CALL_S, connect=_CONNECT_S),
        follow_redirects=False,
        trust_env=False,
        headers={"user-agent": service.slug, "accept-encoding": IDENTITY},
    )


@dataclass(frozen=True)
class Reply:
    """A complete HTTP response. `retry_after_s` is the Retry-After header in seconds, or None."""

    status: int
    retry_after_s: float | None
    body: bytes = field(repr=False)


@contextmanager
def verifying() -> Iterator[None]:
    """Run a block that queries the outcome of an earlier write. Every failure is raised as
    ActionUnknown, because the outcome of the write is then still unknown."""
    try:
        yield
    except ActionUnknown:
        raise
    except DomainError as error:
        raise ActionUnknown(f"started before, and not verified: {error.code}") from error


class ConnectorCall:
    """Sequential requests of one connector that share a deadline.

    Raises NotAuthorized for 401, ActionForbidden for 403, and ActionRefused for other rejections.
    Raises ActionUnreachable without an effect, and ActionUnknown for a write with an unknown
    outcome. Errors contain no text from a request or response.
    """

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._clock = asyncio.get_running_loop().time
        self._deadline = self._clock() + CALL_S

    @property
    def seconds_left(self) -> float:
        return self._deadline - self._clock()

    async def read(self, request: httpx.Request, shape: type[Shape]) -> Shape:
        """Send a read request and return the parsed response. ActionUnknown is never raised,
        because a read has no effect."""
        reply = await self._send(request, ActionUnreachable, min(self.seconds_left, READ_S))
        _refuse(reply, ActionUnreachable)
        return _parse(reply, shape, ActionUnreachable)

    async def verify(self, request: httpx.Request, shape: type[Shape]) -> Shape:
        """Query the outcome of an earlier write and return the parsed response. Every failure is
        raised as ActionUnknown."""
        with verifying():
            return await self.read(request, shape)

    async def effect(
        self,
        request: httpx.Request,
        shape: type[Shape],
        *,
        doubted: Callable[[Reply], bool] = lambda _: False,
    ) -> Shape:
        """Send a write request and return the parsed response.

        `doubted` returns whether a rejection refers to an earlier request with the same idempotency
        key, whose outcome is then unknown.
        """
        reply = await self._send(request, ActionUnknown, self.seconds_left)
        if reply.status >= 400 and doubted(reply):
            raise ActionUnknown(f"HTTP {reply.status} about an earlier request")
        _refuse(reply, ActionUnknown)
        return _parse(reply, shape, ActionUnknown)

    async def tell(self, request: httpx.Request, *, revoked: bytes) -> None:
        """Post a message to a webhook URL. Never raises ActionUnknown, because a duplicate is
        harmless.

        The URL is the credential, so 404, 410, and 403 with the body `revoked` raise NotAuthorized.
        """
        reply = await self._send(request, ActionUnreachable, self.seconds_left)
        if reply.status in _GONE or (reply.status == 403 and reply.body.strip() == revoked):
            raise NotAuthorized(f"HTTP {reply.status}")
        _refuse(reply, ActionUnreachable)

    async def _send(
        self, request: httpx.Request, unclear: type[DomainError], seconds: float
    ) -> Reply:
        given_over = False

        async def trace(step: str, _: object) -> None:
            nonlocal given_over
            given_over = given_over or step.endswith("send_request_headers.started")

        request.extensions = {**request.extensions, "trace": trace}
        try:
            async with asyncio.timeout(max(seconds, 0)):
                response = await self._http.send(request, stream=True)
                try:
                    return await _read_whole(response, unclear)
                finally:
                    await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError) as error:
            failure = type(error).__name__
        # The new error is not chained, because some of the library's errors quote the invalid
        # response.
        raise unclear(failure) if given_over else ActionUnreachable(failure)


async def _read_whole(response: httpx.Response, unclear: type[DomainError]) -> Reply:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise unclear("an answer in an encoding that was not asked for")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAX_BODY:
            raise unclear("an answer without end")
    return Reply(response.status_code, _seconds(response.headers.get("retry-after")), bytes(body))


def _refuse(reply: Reply, unclear: type[DomainError]) -> None:
    """Raise the domain error for the response's status, unless the status indicates success."""
    if 200 <= reply.status < 300:
        return
    detail = f"HTTP {reply.status}"
    if reply.status == 429 or (reply.status == 503 and reply.retry_after_s is not None):
        later = ActionUnreachable(detail)
        later.retry_after_s = reply.retry_after_s
        raise later
    if reply.status == 401:
        raise NotAuthorized(detail)
    if reply.status == 403:
        raise ActionForbidden(detail)
    if reply.status == 409:
        raise Conflict(detail)
    # After a timeout at the server (408), part of the work may already be done.
    if reply.status >= 500 or reply.status == 408:
        raise unclear(detail)
    raise ActionRefused(detail)


def _parse(reply: Reply, shape: type[Shape], unclear: type[DomainError]) -> Shape:
    if exceeds_values(reply.body, MAX_VALUES):
        raise unclear("an answer of too many values")
    try:
        return shape.model_validate_json(reply.body or b"{}")
    except ValidationError:
        pass  # Raise outside `except`, because this error quotes the response.
    raise unclear("an answer of no known shape")


def _seconds(header: str | None) -> float | None:
    """Return the seconds in a Retry-After header, at most `_LONGEST_WAIT_S`, or None."""
    if not header or not header.isascii() or not header.isdigit():
        return None
    return min(float(header), _LONGEST_WAIT_S)
