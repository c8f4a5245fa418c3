"""Unused registrations are deleted to make room for others."""

from datetime import timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.identity.oauth_client import UNUSED_KEPT, OAuthClient
from store.core.database import Database
from store.identity.oauth_clients import OAuthClientRepository

pytestmark = pytest.mark.own_database


async def test_the_unused_go_when_they_are_old_or_too_many(database: Database) -> None:
    now = utc_now()
    ages = {"used": UNUSED_KEPT * 2, "old": UNUSED_KEPT}
    ages |= {f"young {n}": timedelta(seconds=n) for n in range(6)}
    async with database.service() as connection:
        clients = OAuthClientRepository(connection)
        ids = {name: new_ulid() for name in ages}
        for name, age in ages.items():
            await clients.create(OAuthClient(ids[name], name, ("a.b:/",)), "net", now - age)
        await clients.keep(ids["used"], now)

        assert await clients.make_room(now, unused_at_most=10) == 1
        assert await clients.find(ids["old"]) is None
        assert await clients.make_room(now, unused_at_most=4) == 2
        assert await clients.make_room(now, unused_at_most=4) == 0
        left = {name for name, one in ids.items() if await clients.find(one)}

    assert left == {"used", "young 0", "young 1", "young 2", "young 3"}


async def test_a_flood_of_one_network_pushes_out_its_own(database: Database) -> None:
    """An application that is being connected keeps its registration, however many follow."""
    now = utc_now()
    async with database.service() as connection:
        clients = OAuthClientRepository(connection)
        theirs, flood = new_ulid(), [new_ulid() for _ in range(12)]
        await clients.create(
            OAuthClient(theirs, "Claude", ("a.b:/",)), "192.0.2.0/24", now - timedelta(minutes=1)
        )
        for n, flooding in enumerate(flood):
            one = OAuthClient(flooding, "flood", ("a.b:/",))
            await clients.create(one, "198.51.100.0/24", now + timedelta(milliseconds=n))
            await clients.make_room(now, unused_at_most=4)

        assert await clients.find(theirs) is not None
        left = [one for one in flood if await clients.find(one)]
    assert left == flood[-3:]
