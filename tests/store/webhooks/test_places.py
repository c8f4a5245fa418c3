"""Slots shared by workers: concurrent acquisition, and release."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import psycopg
import pytest

from adapters.system import new_ulid
from domain.webhooks.ports import TakenPlace
from store.webhooks.places import SharedPlaces
from tests.support.core.forks import ROOT, clean_environment
from tests.support.core.waiting import eventually
from tests.support.servers.proxy import mutable_proxy


@asynccontextmanager
async def workers(*urls: str) -> AsyncIterator[list[SharedPlaces]]:
    async with AsyncExitStack() as stack:
        found = [SharedPlaces(url) for url in urls]
        for one in found:
            stack.push_async_callback(one.close)
        yield found


async def take_all(places: SharedPlaces, client_id: str, webhook_id: str) -> list[TakenPlace]:
    taken = []
    while (place := await places.take(client_id, webhook_id)) is not None:
        assert place.keys, "nobody counts"
        taken.append(place)
    return taken


@pytest.fixture
def client_id() -> str:
    """Locks apply to a whole database, which other tests share."""
    return new_ulid()


async def test_two_workers_together_have_four_of_an_endpoint_and_eight_of_a_client(
    database_url: str, client_id: str
) -> None:
    async with workers(database_url, database_url) as (one, other):
        mine = [await one.take(client_id, "x") for _ in range(3)]
        assert None not in mine
        assert len(await take_all(other, client_id, "x")) == 1
        assert await one.take(client_id, "x") is None

        assert len(await take_all(other, client_id, "y")) == 4
        assert await one.take(client_id, "z") is None
        assert len(await take_all(one, new_ulid(), "x")) == 4


async def test_a_place_that_is_given_back_is_the_other_workers(
    database_url: str, client_id: str
) -> None:
    async with workers(database_url, database_url) as (one, other):
        places = await take_all(one, client_id, "x")
        one.give_back(places[2])
        theirs = await eventually(lambda: other.take(client_id, "x"))
        assert theirs.keys == places[2].keys
        assert await one.take(client_id, "x") is None


async def test_taken_all_at_once_nobody_has_a_place_twice(
    database_url: str, client_id: str
) -> None:
    async with workers(database_url, database_url) as (one, other):
        taken = await asyncio.gather(
            *(worker.take(client_id, "x") for worker in (one, other) for _ in range(10))
        )
        got = [place for place in taken if place is not None]
        assert len(got) == len({place.keys for place in got}) == 4


async def test_a_place_whose_taking_was_cancelled_is_free(
    database_url: str, client_id: str
) -> None:
    async with workers(database_url, database_url) as (one, other):
        taking = asyncio.create_task(one.take(client_id, "x"))
        await asyncio.sleep(0)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        assert len(await eventually(lambda: _four(other, client_id))) == 4


async def _four(places: SharedPlaces, client_id: str) -> list[TakenPlace] | None:
    """Acquire all slots of an endpoint; None if one is taken."""
    taken = await take_all(places, client_id, "x")
    if len(taken) < 4:
        for place in taken:
            places.give_back(place)
        return None
    return taken


async def test_places_of_a_killed_worker_are_free(database_url: str, client_id: str) -> None:
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.webhooks.taking", database_url, client_id, "x"),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=clean_environment(PYTHONPATH=str(ROOT)),
    )
    assert worker.stdout is not None
    try:
        assert (await worker.stdout.readline()).strip() == b"4"
        async with workers(database_url) as (other,):
            assert await other.take(client_id, "x") is None
            worker.kill()
            assert len(await eventually(lambda: _four(other, client_id))) == 4
    finally:
        with suppress(ProcessLookupError):
            worker.kill()
        await worker.wait()


async def test_a_session_that_ends_is_replaced_and_has_what_goes_on_still(
    database_url: str, client_id: str
) -> None:
    async with workers(database_url, database_url) as (one, other):
        held = [await one.take(client_id, "x") for _ in range(2)]
        _end_session_of(one, database_url)

        third = await one.take(client_id, "x")

        assert third is not None
        assert third.keys
        assert len(await take_all(other, client_id, "x")) == 1
        assert held[0] is not None
        one.give_back(held[0])
        assert (await eventually(lambda: other.take(client_id, "x"))).keys == held[0].keys


def _end_session_of(worker: SharedPlaces, url: str) -> None:
    """Terminate its database session, as an operator or a restart does."""
    assert worker._session is not None
    with psycopg.connect(url) as killer:
        killer.execute("SELECT pg_terminate_backend(%s)", [worker._session.info.backend_pid])


@pytest.mark.slow
async def test_while_the_database_is_silent_each_worker_counts_alone(
    database_url: str, client_id: str
) -> None:
    loop = asyncio.get_running_loop()
    async with mutable_proxy(database_url) as proxy, workers(proxy.url) as (one,):
        assert await one.take(client_id, "x") is not None
        proxy.silent = True
        began = loop.time()
        many = await asyncio.gather(*(one.take(client_id, "x") for _ in range(20)))
        assert [place.keys for place in many if place is not None] == [()] * 20
        # A second for the response and two for the connection, and nobody else waits for either.
        assert loop.time() - began < 5
        for place in many:
            assert place is not None
            one.give_back(place)
