"""A transport that repeats requests. A repeated request never has an effect twice: a request that
may change something is repeated only if it has an Idempotency-Key, or if the service refused it
before it did anything."""

import random
import time
import uuid
from collections.abc import Callable, Collection
from typing import Final

import httpx

from support_engine.api_error import retry_after_of

MAX_WAIT_S: Final = 60.0
_KEY: Final = "Idempotency-Key"
_REPEATABLE: Final = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
_REFUSED: Final = frozenset({429, 503})
_UNKNOWN: Final = frozenset({500, 502, 504})
# More waiting does not help against this code: the client must buy credits.
_FINAL: Final = b'"quota_exhausted"'
_RUNNING: Final = b'"run_in_progress"'


class Retrying(httpx.BaseTransport):
    """Sends requests through `inner`, up to `attempts` times. `keyed`: the paths whose requests get
    an Idempotency-Key, unless they have one."""

    def __init__(
        self,
        inner: httpx.BaseTransport,
        *,
        attempts: int,
        keyed: Collection[str],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._inner = inner
        self._attempts = attempts
        self._keyed = keyed
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and request.url.path in self._keyed:
            request.headers.setdefault(_KEY, str(uuid.uuid4()))
        repeatable = request.method in _REPEATABLE or _KEY in request.headers
        for attempt in range(1, self._attempts):
            try:
                response = self._inner.handle_request(request)
            except httpx.TransportError as failure:
                if not (repeatable or isinstance(failure, httpx.ConnectError)):
                    raise
                self._sleep(_backoff_s(attempt))
                continue
            wait_s = _wait_s(response, attempt, repeatable=repeatable)
            if wait_s is None:
                return response
            response.close()
            self._sleep(wait_s)
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


def _wait_s(response: httpx.Response, attempt: int, *, repeatable: bool) -> float | None:
    """Return the seconds until the next attempt, or None if the response is final."""
    status = response.status_code
    if status < 400 or not (
        status in _REFUSED or (repeatable and (status in _UNKNOWN or status == 409))
    ):
        return None
    body = response.read()
    if _FINAL in body or (status == 409 and _RUNNING not in body):
        return None
    stated = retry_after_of(response)
    if stated is not None:
        return stated if stated <= MAX_WAIT_S else None
    return _backoff_s(attempt)


def _backoff_s(attempt: int) -> float:
    return min(MAX_WAIT_S, 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
