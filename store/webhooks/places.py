"""The limits on concurrent deliveries, shared by all webhook workers.

A slot is a PostgreSQL advisory lock in a separate session. When a worker dies, PostgreSQL releases
its locks without any cleanup. Decision 0036 compares this with rows that expire.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final

import psycopg
import structlog
from sqlalchemy import URL

from domain.webhooks.ports import TakenPlace
from store.core.database import APP_ROLE, psycopg_url
from store.core.socket_deadline import SocketDeadline

PER_ENDPOINT: Final = 4
PER_TENANT: Final = 8

_Session = psycopg.AsyncConnection[tuple[int | None, ...]]

_log = structlog.get_logger(__name__)

_CONNECT_TIMEOUT_S: Final = 2
_PATIENCE_S: Final = 1.0
"""Timeout for a response from the database, in seconds. Waiting for a slot must not take longer
than waiting for the webhook endpoint's response."""
_AWAY_S: Final = 5.0
"""Pause after a failure, in seconds, during which the worker does not connect to the database."""

# With these settings, the loss of the database machine is detected after 11 s instead of two hours.
_KEEPALIVE: Final = (
    "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
)
_FIRST_FREE: Final = """
    (SELECT key FROM unnest(%s::bigint[]) AS key WHERE pg_try_advisory_lock(key) LIMIT 1)
"""
_TAKE: Final = f"SELECT {_FIRST_FREE}, {_FIRST_FREE}".encode()
_TAKE_AGAIN: Final = b"SELECT key FROM unnest(%s::bigint[]) AS key WHERE pg_try_advisory_lock(key)"
_FREE: Final = b"SELECT pg_advisory_unlock(key) FROM unnest(%s::bigint[]) AS key"


class SharedPlaces:
    """Delivery slots shared by all webhook workers. Implements domain.webhooks.ports.Places for one
    event loop.

    Without the database, every delivery gets a slot, so limits apply within each worker only. A
    delivery that loses the session continues and may exceed them.
    """

    def __init__(
        self, url: str, *, per_endpoint: int = PER_ENDPOINT, per_tenant: int = PER_TENANT
    ) -> None:
        self._url = psycopg_url(url)
        self._per_endpoint = per_endpoint
        self._per_tenant = per_tenant
        self._session: _Session | None = None
        # Only one statement runs at a time. PostgreSQL lets a session lock the same key twice, so
        # this object tracks the keys that the session holds.
        self._turn = asyncio.Lock()
        self._held: dict[int, TakenPlace] = {}
        self._freed: list[int] = []
        self._freeing: asyncio.Task[None] | None = None
        self._away_until = 0.0

    async def take(self, client_id: str, webhook_id: str) -> TakenPlace | None:
        taking = asyncio.create_task(self._take(client_id, webhook_id))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            taking.add_done_callback(self._give_back_taken)
            raise

    def give_back(self, place: TakenPlace) -> None:
        self._freed += [key for key in place.keys if self._held.get(key) is place]
        if self._freed and self._freeing is None:
            self._freeing = asyncio.create_task(self._free_all())

    async def close(self) -> None:
        """End the session with the database, which releases all locks of the session."""
        async with self._turn:
            self._away_until = float("inf")
            await self._end_session()

    async def _take(self, client_id: str, webhook_id: str) -> TakenPlace | None:
        of_endpoint = _keys(self._per_endpoint, "endpoint", client_id, webhook_id)
        of_tenant = _keys(self._per_tenant, "tenant", client_id)
        async with self._turn:
            # After a failure, the statement is retried once immediately, because a single session
            # may end while the database is available.
            for _ in range(2):
                try:
                    return await self._counted(of_endpoint, of_tenant)
                except psycopg.Error:
                    await self._end_session()
            self._away_until = time.monotonic() + _AWAY_S
            _log.warning(
                "failed to share delivery slots: this worker counts only its own deliveries"
            )
            return TakenPlace(())

    async def _counted(self, of_endpoint: list[int], of_tenant: list[int]) -> TakenPlace | None:
        session = await self._open()
        if session is None:
            return TakenPlace(())
        await self._free(session)
        found = await self._locked(session, of_endpoint, of_tenant)
        if found is None:
            return None
        place = TakenPlace(found)
        self._held |= dict.fromkeys(found, place)
        return place

    async def _locked(
        self,
        session: _Session,
        *wanted: Sequence[int],
    ) -> tuple[int, ...] | None:
        """Lock one key from each list, and return the locked keys. If one of the lists has no free
        key, lock none and return None."""
        free = [[key for key in keys if key not in self._held] for keys in wanted]
        if not all(free):
            return None
        rows = await _asked(session, _TAKE, *free)
        found = [key for key in rows[0] if key is not None]
        if len(found) == len(wanted):
            return tuple(found)
        if found:
            await _asked(session, _FREE, found)
        return None

    async def _free_all(self) -> None:
        async with self._turn:
            self._freeing = None
            if self._session is None:
                self._forget(self._freed)
                self._freed = []
                return
            try:
                await self._free(self._session)
            except psycopg.Error:
                await self._end_session()

    async def _free(self, session: _Session) -> None:
        if not self._freed:
            return
        keys, self._freed = self._freed, []
        # If the unlock statement fails, the session and all of its locks are lost.
        self._forget(keys)
        await _asked(session, _FREE, keys)

    def _forget(self, keys: Iterable[int]) -> None:
        for key in keys:
            self._held.pop(key, None)

    async def _open(self) -> _Session | None:
        """Return the database session, connecting if necessary, or None during the backoff after a
        failure. Raises psycopg.Error."""
        if self._session is not None:
            return self._session
        if time.monotonic() < self._away_until:
            return None
        self._session = await _connected(self._url)
        if self._held:
            # Reacquire the locks for the deliveries in progress. If another worker takes a slot
            # first, the limit is exceeded by one.
            kept = await _asked(self._session, _TAKE_AGAIN, [*self._held])
            self._held = {key: self._held[key] for (key,) in kept if key is not None}
        return self._session

    async def _end_session(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _give_back_taken(self, taking: "asyncio.Task[TakenPlace | None]") -> None:
        if not taking.cancelled() and taking.exception() is None:
            place = taking.result()
            if place is not None:
                self.give_back(place)


async def _connected(url: URL) -> _Session:
    return await psycopg.AsyncConnection.connect(
        url.set(drivername="postgresql").render_as_string(hide_password=False),
        autocommit=True,
        connect_timeout=_CONNECT_TIMEOUT_S,
        options=f"-c role={APP_ROLE} {_KEEPALIVE}",
        application_name="webhook places",
    )


async def _asked(
    session: _Session, statement: bytes, *keys: list[int]
) -> list[tuple[int | None, ...]]:
    """Execute a statement and return its rows. Raises psycopg.Error, even if the server does not
    respond."""
    with SocketDeadline(session) as socket_deadline:
        socket_deadline.within(_PATIENCE_S)
        return await (await session.execute(statement, keys)).fetchall()


def _keys(count: int, *names: str) -> list[int]:
    return [
        int.from_bytes(
            blake2b("/".join(("webhooks", *names, str(number))).encode(), digest_size=8).digest(),
            "big",
            signed=True,
        )
        for number in range(count)
    ]
