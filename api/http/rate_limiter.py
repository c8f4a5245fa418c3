"""Rate limits over HTTP: error responses, and headers that state how many requests the caller has
left."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from time import monotonic

from starlette.requests import Request

from api.http.client_address import LimitedNetwork, limited_networks
from domain.core.ids import TenantId
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import Limit, LimitDecision, LimitScope, limits
from services.core.cpu_allowance import CpuAllowance
from services.intake.request_counter import MemoryCounter, PostgresCounter, RequestCounter
from settings.service import LimitSettings
from store.core.database import Database


class RateLimiter:
    def __init__(self, table: Mapping[LimitScope, Limit], counter: RequestCounter) -> None:
        self._limits = table
        self.counter = counter
        self.cpu = CpuAllowance(monotonic)

    async def check(self, scope: LimitScope, key: str, now: datetime) -> LimitDecision:
        """Count one request for `key`, and return the decision. Raises TooManyRequests at the
        limit. Rejected requests are not counted."""
        return _admitted(await self.counter.count(self._limits[scope], key, now))

    async def check_networks(
        self, scope: LimitScope, networks: Sequence[LimitedNetwork], now: datetime, *, of: str = ""
    ) -> None:
        """Count one request for the caller's address and its networks. `of` prefixes the keys of
        limits per client. Raises TooManyRequests."""
        _admitted(await self._count_networks(scope, networks, now, of=of))

    def check_known(
        self, scope: LimitScope, networks: Sequence[LimitedNetwork], now: datetime, *, of: str
    ) -> None:
        """Raise TooManyRequests if the limit is reached by this process's counts, without counting.
        For limits on later outcomes, such as a webhook's rejection."""
        known = self._known_refusal(self._windows(scope, networks, of), now)
        if known is not None:
            _admitted(known)

    def check_cpu(self, tenant: TenantId) -> None:
        """Raise TooManyRequests if the client's requests have used too much CPU time of this
        process."""
        if (wait_s := self.cpu.wait_s(tenant)) > 0:
            raise TooManyRequests(self._limits[LimitScope.DASHBOARD], wait_s)

    def check_sender(self, request: Request, sender: str) -> None:
        """Charge the request's CPU time to the sender if the request is rejected later. Raises
        TooManyRequests if rejected requests of the sender have used too much CPU time."""
        if (wait_s := self.cpu.wait_s(sender)) > 0:
            raise TooManyRequests(self._limits[LimitScope.DASHBOARD], wait_s)
        # Set after the check, so that the wait does not grow while the sender repeats its requests.
        request.state.sender = sender

    async def check_request(
        self, request: Request, scope: LimitScope, key: str, now: datetime
    ) -> None:
        """Count a request, and state the number of remaining requests in the response headers.
        Raises TooManyRequests at the limit."""
        _show(request, await self.counter.count(self._limits[scope], key, now))

    async def check_address(self, request: Request, scope: LimitScope, now: datetime) -> None:
        """Count a request by address like `check_networks`, and state the number of remaining
        requests in the response headers. Raises TooManyRequests."""
        networks = limited_networks(request)
        _show(request, await self._count_networks(scope, networks, now, of=""))

    async def _count_networks(
        self, scope: LimitScope, networks: Sequence[LimitedNetwork], now: datetime, *, of: str
    ) -> LimitDecision:
        """Return the rejection, or the decision for the narrowest network. A rejected request adds
        no key to the counter, and does not use up the limit of a wider network."""
        windows = self._windows(scope, networks, of)
        if (known := self._known_refusal(windows, now)) is not None:
            return known
        narrowest = await self.counter.count(*windows[0], now)
        tried = narrowest
        for window in windows[1:]:
            if not tried.admitted:
                return tried
            tried = await self.counter.count(*window, now)
        return narrowest if tried.admitted else tried

    def _known_refusal(
        self, windows: Sequence[tuple[Limit, str]], now: datetime
    ) -> LimitDecision | None:
        known = (self.counter.known_refusal(*window, now) for window in windows)
        return next(filter(None, known), None)

    def _windows(
        self, scope: LimitScope, networks: Sequence[LimitedNetwork], of: str
    ) -> list[tuple[Limit, str]]:
        limit = self._limits[scope]
        return [
            (replace(limit, quota=limit.quota * one.share), f"{of}{one.name}") for one in networks
        ]


def build_limiter(settings: LimitSettings, database: Database) -> RateLimiter:
    """Return a limiter that uses the counter selected by `RATE_LIMITS`."""
    counts_in_postgres = settings.rate_limits == "postgres"
    counter = PostgresCounter(database) if counts_in_postgres else MemoryCounter()
    return RateLimiter(limits(dry_runs=settings.dry_run_limit), counter)


def _admitted(tried: LimitDecision) -> LimitDecision:
    if not tried.admitted:
        raise TooManyRequests(tried.limit, tried.wait_s)
    return tried


def _show(request: Request, tried: LimitDecision) -> None:
    """Add the decision's headers to the response. Raises TooManyRequests."""
    request.state.headers = [*getattr(request.state, "headers", ()), *_headers(tried)]
    _admitted(tried)


def _headers(tried: LimitDecision) -> list[tuple[bytes, bytes]]:
    """Return the rate limit headers of draft-ietf-httpapi-ratelimit-headers: the policy and the
    number of remaining requests."""
    name, seconds = tried.limit.scope, round(tried.limit.window.total_seconds())
    policy = f'"{name}";q={tried.limit.quota};w={seconds}'
    state = f'"{name}";r={tried.remaining};t={max(1, math.ceil(tried.wait_s))}'
    return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", state.encode())]
