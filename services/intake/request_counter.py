"""Counters for short-term rate limits, in this process's memory or in PostgreSQL for all processes.
The limits are in `domain/intake/rate_limit.py`."""

from collections import OrderedDict, defaultdict
from datetime import datetime, timedelta
from typing import Final, Protocol

from domain.intake.rate_limit import Limit, LimitDecision, LimitScope, attempt, judged, live
from services.core.gate import Gate
from store.core.database import Database
from store.intake.rate_windows import RateWindowRepository

# Maximum number of keys in memory for each scope. A flood in one scope does not affect callers in
# another.
_MAX_KEYS: Final = 50_000
# Each request removes more than one expired key. The number of expired keys therefore decreases,
# although every request may add a key.
_DROPPED_AT_ONCE: Final = 8
_PURGE_EVERY: Final = 256
# Timeout for waiting behind earlier requests with the same key. Each earlier request takes one
# short transaction.
_PATIENCE_S: Final = 2.0


class RequestCounter(Protocol):
    """The interface of a counter of requests by key."""

    async def count(self, limit: Limit, key: str, now: datetime) -> LimitDecision:
        """Count one request for `key` unless its window is full, and return the decision."""

    def known_refusal(self, limit: Limit, key: str, now: datetime) -> LimitDecision | None:
        """Return the cached decision that rejects the next request for `key`, or None. Makes no
        query and counts nothing."""


class MemoryCounter:
    """An in-memory counter, exact within one process.

    In a full scope, the key with the oldest last request is evicted. A flood from many addresses
    may then exceed limits, but blocks no other caller.
    """

    def __init__(self, *, max_keys: int = _MAX_KEYS) -> None:
        self._max_keys = max_keys
        # The keys are ordered by their last request, so that the first keys expire first.
        self._hits: defaultdict[LimitScope, OrderedDict[str, list[datetime]]] = defaultdict(
            OrderedDict
        )

    async def count(self, limit: Limit, key: str, now: datetime) -> LimitDecision:
        """Count one request for `key` unless its window is full, and return the decision."""
        kept = self._hits[limit.scope]
        _drop_lapsed(kept, limit, now)
        if key not in kept and len(kept) >= self._max_keys:
            kept.popitem(last=False)
        counted, tried = attempt(limit, kept.get(key, ()), now)
        if tried.admitted:
            kept[key] = counted
            kept.move_to_end(key)
        return tried

    def known_refusal(self, limit: Limit, key: str, now: datetime) -> LimitDecision | None:
        """Return the decision that rejects the next request for `key`, or None if it will be
        counted."""
        counted = live(limit, self._hits[limit.scope].get(key, ()), now)
        if len(counted) < limit.quota:
            return None
        return judged(limit, counted, now, admitted=False)


class PostgresCounter:
    """A counter in PostgreSQL, exact across all processes of one database. A flood on one key
    occupies at most one connection, and none once it is rejected."""

    def __init__(self, database: Database, *, max_refused: int = _MAX_KEYS) -> None:
        self._database = database
        self._until_purge = _PURGE_EVERY
        self._gate: Gate[tuple[LimitScope, str]] = Gate(patience_s=_PATIENCE_S)
        self._max_refused = max_refused
        # The time until which each full window rejects requests. Evicting one costs only a query.
        self._refused: OrderedDict[tuple[LimitScope, str], datetime] = OrderedDict()

    async def count(self, limit: Limit, key: str, now: datetime) -> LimitDecision:
        """Count one request for `key` unless its window is full, and return the decision. Raises
        EngineUnavailable."""
        known = self.known_refusal(limit, key, now)
        if known is not None:
            return known
        async with self._gate.enter((limit.scope, key)):
            # While this request waited, an earlier request may have been rejected.
            return self.known_refusal(limit, key, now) or await self._ask(limit, key, now)

    async def _ask(self, limit: Limit, key: str, now: datetime) -> LimitDecision:
        async with self._database.service() as connection:
            windows = RateWindowRepository(connection)
            tried = await windows.hit(limit, key, now)
            self._until_purge -= 1
            if self._until_purge <= 0:
                self._until_purge = _PURGE_EVERY
                await windows.purge(now)
        if not tried.admitted:
            self._refused[limit.scope, key] = now + timedelta(seconds=tried.wait_s)
            if len(self._refused) > self._max_refused:
                self._refused.popitem(last=False)
        return tried

    def known_refusal(self, limit: Limit, key: str, now: datetime) -> LimitDecision | None:
        """Return the cached rejection for `key`, or None."""
        whose = (limit.scope, key)
        until = self._refused.get(whose)
        if until is None:
            return None
        if until <= now:
            del self._refused[whose]
            return None
        wait_s = (until - now).total_seconds()
        return LimitDecision(limit=limit, admitted=False, remaining=0, wait_s=wait_s)


def _drop_lapsed(kept: OrderedDict[str, list[datetime]], limit: Limit, now: datetime) -> None:
    for _ in range(_DROPPED_AT_ONCE):
        first = next(iter(kept), None)
        if first is None or kept[first][-1] + limit.window > now:
            return
        del kept[first]
