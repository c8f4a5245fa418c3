"""Rate limits over HTTP: error responses, and headers that state how many requests the caller has
left."""

import math
from collections.abc import Mapping
from datetime import datetime

from starlette.requests import Request

from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import Limit, LimitDecision, LimitScope, limits
from services.intake.request_counter import MemoryCounter, PostgresCounter, RequestCounter
from settings.service import LimitSettings
from store.core.database import Database


class RateLimiter:
    def __init__(self, table: Mapping[LimitScope, Limit], counter: RequestCounter) -> None:
        self._limits = table
        self.counter = counter

    async def check(self, scope: LimitScope, key: str, now: datetime) -> LimitDecision:
        """Count one request for `key`, and return the decision. Raises TooManyRequests if the limit
        has been reached. Rejected requests are not counted."""
        return _admitted(await self.counter.count(self._limits[scope], key, now))

    def check_known(self, scope: LimitScope, key: str, now: datetime) -> None:
        """Raise TooManyRequests if the limit has been reached according to this process's counts.
        The request is not counted. Call this method for limits on outcomes that are known only
        after the request, such as the rejection of a webhook."""
        known = self.counter.known_refusal(self._limits[scope], key, now)
        if known is not None:
            _admitted(known)

    async def check_request(
        self, request: Request, scope: LimitScope, key: str, now: datetime
    ) -> None:
        """Count a request. Headers of its response state how many requests the caller has left.

        Raises TooManyRequests if the limit has been reached.
        """
        tried = await self.counter.count(self._limits[scope], key, now)
        request.state.headers = [*getattr(request.state, "headers", ()), *_headers(tried)]
        _admitted(tried)


def build_limiter(settings: LimitSettings, database: Database) -> RateLimiter:
    """Return a limiter that uses the counter selected by `RATE_LIMITS`."""
    counts_in_postgres = settings.rate_limits == "postgres"
    counter = PostgresCounter(database) if counts_in_postgres else MemoryCounter()
    return RateLimiter(limits(dry_runs=settings.dry_run_limit), counter)


def _admitted(tried: LimitDecision) -> LimitDecision:
    if not tried.admitted:
        raise TooManyRequests(tried.limit, tried.wait_s)
    return tried


def _headers(tried: LimitDecision) -> list[tuple[bytes, bytes]]:
    """Return the rate limit headers of draft-ietf-httpapi-ratelimit-headers: the policy and the
    number of remaining requests."""
    name, seconds = tried.limit.scope, round(tried.limit.window.total_seconds())
    policy = f'"{name}";q={tried.limit.quota};w={seconds}'
    state = f'"{name}";r={tried.remaining};t={max(1, math.ceil(tried.wait_s))}'
    return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", state.encode())]
