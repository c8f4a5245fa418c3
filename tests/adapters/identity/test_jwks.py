"""A provider's published keys: when they are fetched, cached and discarded."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from jwt.algorithms import ECAlgorithm

from adapters.identity import jwks as identity_jwks
from adapters.identity.jwks import (
    COOLDOWN_S,
    FIRST_RETRY_S,
    KEPT_S,
    LIFESPAN_S,
    MAX_BODY,
    ProviderKeys,
)
from tests.support.core.waiting import eventually
from tests.support.tenants.identity import (
    Clock,
    Provider,
    ec_key,
    identity_provider,
    public_jwk,
    rsa_key,
)

CALLERS = 50


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with identity_provider() as provider:
        yield provider


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def keys(provider: Provider, clock: Clock) -> AsyncIterator[ProviderKeys]:
    keys = ProviderKeys(provider.url, clock=clock)
    yield keys
    await keys.close()


async def test_known_key_of_a_fresh_set_asks_nobody(
    keys: ProviderKeys, provider: Provider, clock: Clock
) -> None:
    assert provider.requests == 0
    assert await keys.find("first") is not None

    clock.now += LIFESPAN_S - 1
    for _ in range(CALLERS):
        # Completes without waiting: no thread, no timer, no other task.
        with pytest.raises(StopIteration):
            keys.find("first").send(None)
    assert provider.requests == 1


async def test_first_callers_share_one_fetch(keys: ProviderKeys, provider: Provider) -> None:
    provider.answering.clear()
    callers = [asyncio.create_task(keys.find("first")) for _ in range(CALLERS)]
    await eventually(lambda: _asked(provider))
    callers[0].cancel()
    provider.answering.set()

    found = await asyncio.gather(*callers, return_exceptions=True)

    assert isinstance(found[0], asyncio.CancelledError)
    assert all(key is not None and not isinstance(key, BaseException) for key in found[1:])
    assert provider.requests == 1


async def test_made_up_names_cost_one_fetch_a_cooldown(
    keys: ProviderKeys, provider: Provider, clock: Clock
) -> None:
    await keys.find("first")
    for fetches in (2, 3, 4):
        clock.now += COOLDOWN_S
        for flood in range(3):
            names = [f"made-up-{flood}-{number}" for number in range(CALLERS)]
            assert set(await asyncio.gather(*map(keys.find, names))) == {None}
        assert provider.requests == fetches
    clock.now += COOLDOWN_S - 1
    assert await keys.find("made-up") is None
    assert provider.requests == 4


async def test_flood_while_the_provider_is_away(
    keys: ProviderKeys, provider: Provider, clock: Clock
) -> None:
    await keys.find("first")
    provider.status = 503
    clock.now += COOLDOWN_S
    for flood in range(3):
        names = [f"made-up-{flood}-{number}" for number in range(CALLERS)]
        assert set(await asyncio.gather(*map(keys.find, names))) == {None}
    assert provider.requests == 2
    assert await keys.find("first") is not None


async def test_new_key_is_found_after_the_cooldown(
    keys: ProviderKeys, provider: Provider, clock: Clock
) -> None:
    await keys.find("first")
    provider.publish(**provider.keys, second=rsa_key())
    clock.now += COOLDOWN_S

    assert await keys.find("second") is not None
    assert await keys.find("first") is not None


async def test_removed_key_ends_with_the_set(
    keys: ProviderKeys, provider: Provider, clock: Clock
) -> None:
    await keys.find("first")
    provider.publish(second=ec_key())

    clock.now += LIFESPAN_S - 1
    assert await keys.find("first") is not None
    clock.now += 1
    assert await keys.find("first") is not None, "whose request makes the set be fetched"
    await eventually(lambda: _gone(keys))


async def test_last_key_removed(keys: ProviderKeys, provider: Provider, clock: Clock) -> None:
    await keys.find("first")
    provider.publish()
    clock.now += LIFESPAN_S

    await keys.find("first")
    await eventually(lambda: _gone(keys))


async def test_known_key_never_waits_for_a_silent_provider(
    keys: ProviderKeys, provider: Provider, clock: Clock
) -> None:
    await keys.find("first")
    provider.answering.clear()
    for age in (LIFESPAN_S, LIFESPAN_S + COOLDOWN_S, KEPT_S - 1):
        clock.now = 1000 + age
        for _ in range(CALLERS):
            with pytest.raises(StopIteration) as ended:
                keys.find("first").send(None)
            assert ended.value.value is not None
    await eventually(lambda: _asked(provider, times=2))
    provider.answering.set()

    clock.now = 1000 + KEPT_S
    assert await keys.find("first") is not None, "too old: what is fetched is waited for"


async def test_close_ends_a_fetch_that_nobody_waits_for(
    keys: ProviderKeys, provider: Provider, clock: Clock
) -> None:
    await keys.find("first")
    provider.answering.clear()
    clock.now += LIFESPAN_S
    before = asyncio.all_tasks()
    await keys.find("first")
    fetches = asyncio.all_tasks() - before
    await eventually(lambda: _asked(provider, times=2))

    await keys.close()

    assert [fetch.cancelled() for fetch in fetches] == [True]


@pytest.mark.parametrize(
    ("status", "document"),
    [
        (500, {}),
        (404, {}),
        (302, {"keys": []}),
        (200, None),
        (200, []),
        (200, {"keys": {}}),
        (200, {"keys": [], "x": "x" * MAX_BODY}),
    ],
)
async def test_keys_are_kept_while_the_provider_talks_nonsense(
    keys: ProviderKeys, provider: Provider, clock: Clock, status: int, document: object
) -> None:
    await keys.find("first")
    provider.status, provider.document = status, document

    clock.now += KEPT_S - 1
    assert await keys.find("first") is not None
    assert await keys.find("made-up") is None, "which waits for the fetch under way"
    assert provider.requests == 2
    clock.now += 1
    assert await keys.find("first") is None


async def test_provider_comes_back(keys: ProviderKeys, provider: Provider, clock: Clock) -> None:
    provider.status = 503
    assert await keys.find("first") is None
    provider.status = 200

    clock.now += FIRST_RETRY_S - 1
    assert await keys.find("first") is None
    clock.now += 1
    assert await keys.find("first") is not None
    assert provider.requests == 2


async def test_nobody_listens(provider: Provider, clock: Clock) -> None:
    # The port of a stopped server.
    gone = await asyncio.start_server(provider.answer, "127.0.0.1", 0)
    port = gone.sockets[0].getsockname()[1]
    gone.close()
    await gone.wait_closed()
    keys = ProviderKeys(f"http://127.0.0.1:{port}/", clock=clock)

    assert await keys.find("first") is None
    await keys.close()


async def test_silent_provider_is_given_up(
    provider: Provider, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert identity_jwks.TIMEOUT_S <= 5
    monkeypatch.setattr(identity_jwks, "TIMEOUT_S", 0.1)
    provider.answering.clear()
    keys = ProviderKeys(provider.url, clock=clock)

    async with asyncio.timeout(5):
        assert await keys.find("first") is None
    assert provider.requests == 1
    await keys.close()


async def test_close_ends_a_fetch(provider: Provider, clock: Clock) -> None:
    provider.answering.clear()
    keys = ProviderKeys(provider.url, clock=clock)
    caller = asyncio.create_task(keys.find("first"))
    await eventually(lambda: _asked(provider))

    async with asyncio.timeout(identity_jwks.TIMEOUT_S / 2):
        await keys.close()
        with pytest.raises(asyncio.CancelledError):
            await caller


async def test_unusable_keys_are_passed_over(
    keys: ProviderKeys, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = ec_key()
    provider.document = {
        "keys": [
            "no object",
            {},
            {"kty": "EC", "crv": "P-256", "kid": "no-point"},
            {"kty": "RSA", "kid": "no-modulus", "n": 5, "e": "AQAB"},
            {"kty": ["RSA"], "alg": ["RS256"], "kid": "lists"},
            public_jwk(ec_key(), "no-algorithm", alg="ES999"),
            public_jwk(ec_key(), "encryption", use="enc"),
            {**ECAlgorithm.to_jwk(ec_key(), as_dict=True), "kid": "private"},
            {**public_jwk(ec_key(), ""), "kid": 5},
            public_jwk(good, "good", use="sig", alg="ES256"),
        ]
    }

    assert await keys.find("good") is not None
    names = ("no-point", "no-modulus", "lists", "no-algorithm", "encryption", "private")
    assert [await keys.find(name) for name in names] == [None] * len(names)


async def _asked(provider: Provider, times: int = 1) -> bool:
    return provider.requests >= times


async def _gone(keys: ProviderKeys) -> bool:
    return await keys.find("first") is None


async def test_the_provider_of_these_tests_answers(provider: Provider) -> None:
    async with httpx.AsyncClient() as client:
        assert (await client.get(provider.url)).json() == provider.document
