"""The published keys of an external identity provider, fetched when needed and cached during
outages.

PyJWT's client is unsuitable: it blocks, and during an outage drops its keys and fetches them for
every caller.
"""

import asyncio
import json
import math
from collections.abc import Callable, Mapping
from typing import Final

import httpx
import jwt
import structlog

LIFESPAN_S: Final = 300.0
"""If the cached keys are older than this many seconds, a request with a known key starts a fetch in
the background. Keys that the provider has removed are accepted until that fetch succeeds."""
KEPT_S: Final = 3600.0
"""Maximum age of an accepted key, in seconds, even during a provider outage."""
COOLDOWN_S: Final = 30.0
"""Minimum interval between fetches, in seconds. It prevents tokens with invented key ids from
putting load on the provider."""
FIRST_RETRY_S: Final = 5.0
"""Minimum interval between fetches, in seconds, until a fetch has succeeded. It is short because
users cannot sign in before the first successful fetch."""
TIMEOUT_S: Final = 3.0
"""Timeout for a whole fetch, in seconds."""
MAX_BODY: Final = 256 * 1024
"""Maximum size of a key set, in bytes. Real key sets have a few thousand bytes."""

# The algorithms for an RSA key that does not state an algorithm. An elliptic curve has only one
# algorithm.
_OF_RSA: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")

_log = structlog.get_logger(__name__)


class ProviderKeys:
    """The process's cache of an identity provider's keys. A request with a known key waits for a
    fetch only if the cached keys are older than KEPT_S."""

    def __init__(self, url: str, *, clock: Callable[[], float]) -> None:
        """Create the cache. `clock` is a monotonic clock, in seconds."""
        self._url = url
        self._clock = clock
        self._http = httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False)
        self._keys: dict[str, dict[str, jwt.PyJWK]] = {}
        self._fetched_at = -math.inf
        self._tried_at = -math.inf
        self._fetch: asyncio.Task[None] | None = None

    async def find(self, kid: str) -> Mapping[str, jwt.PyJWK] | None:
        """Return the key with that name, by algorithm, or None.

        An unknown or old key starts a fetch of the key set. The caller waits for it only without a
        usable cached key.
        """
        if kid not in self._keys or self._age() >= KEPT_S:
            fetch = self._refresh()
            if fetch is not None:
                # A caller that disconnects must not cancel the fetch for the other callers.
                await asyncio.shield(fetch)
        elif self._age() >= LIFESPAN_S:
            self._refresh()
        return self._keys.get(kid) if self._age() < KEPT_S else None

    async def only(self) -> str | None:
        """Return the name of the provider's key if the provider has exactly one, otherwise None.
        With a single key, tokens may omit the key name."""
        if not self._keys and (fetch := self._refresh()) is not None:
            await asyncio.shield(fetch)
        return next(iter(self._keys)) if len(self._keys) == 1 else None

    async def close(self) -> None:
        if self._fetch is not None:
            self._fetch.cancel()
            await asyncio.gather(self._fetch, return_exceptions=True)
        await self._http.aclose()

    def _age(self) -> float:
        return self._clock() - self._fetched_at

    def _refresh(self) -> asyncio.Task[None] | None:
        """Return the running fetch of the keys, or start a new one. Return None if the last fetch
        was too recent."""
        if self._fetch is None or self._fetch.done():
            never = self._fetched_at == -math.inf
            pause = FIRST_RETRY_S if never else COOLDOWN_S
            if self._clock() - self._tried_at < pause:
                return None
            self._tried_at = self._clock()
            self._fetch = asyncio.create_task(self._replace())
        return self._fetch

    async def _replace(self) -> None:
        """Replace the cached keys with the provider's current keys. If the fetch fails, keep the
        cached keys."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                keys = _usable(json.loads(await self._published()))
        except (httpx.HTTPError, TimeoutError, ValueError) as error:
            _log.warning(
                "failed to fetch the identity provider's keys", reason=type(error).__name__
            )
            return
        self._keys = keys
        self._fetched_at = self._clock()

    async def _published(self) -> bytes:
        body = bytearray()
        async with self._http.stream("GET", self._url) as answer:
            answer.raise_for_status()
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > MAX_BODY:
                    raise ValueError("a set without end")
        return bytes(body)


def _usable(document: object) -> dict[str, dict[str, jwt.PyJWK]]:
    """Return the keys that can verify a signature, by key name and algorithm.

    Raises ValueError if the document is not a JWK set.
    """
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("no JWK set")  # noqa: TRY004 - the document is wrong, not our code
    keys: dict[str, dict[str, jwt.PyJWK]] = {}
    for entry in listed:
        # An entry with a private key is unsafe because anyone can sign with a published private
        # key.
        if not isinstance(entry, dict) or "d" in entry or entry.get("use") not in ("sig", None):
            continue
        try:
            bound = _bound(entry)
        except (jwt.PyJWTError, TypeError, ValueError, NotImplementedError):
            continue  # PyJWT does not support this type of key.
        if isinstance(entry.get("kid"), str):
            keys[entry["kid"]] = bound
    return keys


def _bound(jwk: dict[str, object]) -> dict[str, jwt.PyJWK]:
    """Return the key, bound to each of its algorithms. PyJWT rejects an algorithm that needs
    another type of key."""
    if jwk.get("kty") == "RSA" and not jwk.get("alg"):
        return {name: jwt.PyJWK(jwk, algorithm=name) for name in _OF_RSA}
    key = jwt.PyJWK(jwk)
    return {key.algorithm_name: key}
